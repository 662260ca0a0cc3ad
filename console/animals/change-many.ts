import { useRef, useState } from 'react';
import { ApiError, type Pet, type PetPatch } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { describeFailure } from '../failures.ts';
import { useRefresh } from '../refresh.ts';
import { type Store, useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { FIELD_NAMES } from './fields.tsx';

/** What was done to an animal, and what undoes it. */
export interface Done {
  /** The animal as it was added, or before the change. */
  readonly pet: Pet<string>;
  /** Sets back what was changed. Undefined if the animal was added. */
  readonly back?: PetPatch<string>;
  /** The tag of the animal after the change. */
  readonly etag?: string | undefined;
}

/** What was not done to an item, and why. */
export interface Failed<Item> {
  readonly item: Item;
  readonly reason: string;
}

interface Outcome<Item, Result> {
  readonly done: readonly Result[];
  readonly failed: readonly Failed<Item>[];
  /** Not tried because it was stopped, or the service cannot be reached. */
  readonly left: readonly Item[];
}

/** A change that the rules of the console refuse. Its message is for the user. */
class RefusedHere extends Error {}

/** How many requests run at once: a browser opens six connections, and one of them is the stream of changes. */
const PARALLEL = 4;

/** Does something with each item, until it is stopped. @param onCount called with how many are tried */
export async function doEach<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
  signal: AbortSignal,
  onCount: (count: number) => void,
): Promise<Outcome<Item, Result>> {
  const results = new Map<Item, { readonly value: Result } | { readonly reason: string }>();
  const queue = items.values();
  let isLost = false;
  const attempt = async (item: Item) => {
    try {
      results.set(item, { value: await act(item) });
    } catch (error) {
      if (signal.aborted) return;
      isLost ||= !(error instanceof ApiError || error instanceof RefusedHere);
      results.set(item, { reason: reasonOf(error) });
    }
    onCount(results.size);
  };
  const work = async () => {
    for (const item of queue) if (!(signal.aborted || isLost)) await attempt(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  const entries = items.flatMap((item) => {
    const result = results.get(item);
    return result ? [{ item, result }] : [];
  });
  return {
    done: entries.flatMap(({ result }) => ('value' in result ? [result.value] : [])),
    failed: entries.flatMap(({ item, result }) =>
      'reason' in result ? [{ item, reason: result.reason }] : [],
    ),
    left: items.filter((item) => !results.has(item)),
  };
}

const reasonOf = (error: unknown): string =>
  error instanceof RefusedHere ? error.message : describeFailure(error).message;

/** Whether an animal differs from what is wanted. */
export const differs = (pet: Pet<string>, wanted: PetPatch<string>): boolean =>
  FIELD_NAMES.some((field) => field in wanted && (wanted[field] ?? undefined) !== pet[field]);

/** Changes an animal. @param refuse says why the animal, as it is now, must not be changed. */
export async function changePet(
  store: Store,
  id: string,
  patch: PetPatch<string>,
  refuse: (pet: Pet<string>) => string | undefined,
  signal: AbortSignal,
): Promise<Done> {
  let before: Pet<string> | undefined;
  const change = (pet: Pet<string>) => {
    const reason = refuse(pet);
    if (reason !== undefined) throw new RefusedHere(reason);
    before = pet;
    return patch;
  };
  const { data, response } = await store.pets.edit(id, change, { signal }).withResponse();
  const pet = before ?? data;
  const fields = FIELD_NAMES.filter((field) => field in patch);
  const back = Object.fromEntries(fields.map((field) => [field, pet[field] ?? null]));
  return { pet, back, etag: response.etag };
}

/** Undoes a change, or deletes an animal that was added, unless somebody has changed it since. */
export async function undoOne(store: Store, { pet, back, etag }: Done, signal: AbortSignal) {
  if (back) return store.pets.update(pet.id, back, { ifMatch: etag, signal });
  const { data, response } = await store.pets.get(pet.id, { signal }).withResponse();
  if (differs(data, pet)) throw new RefusedHere(TEXTS.animals.bulk.changedSince);
  return store.pets.delete(pet.id, { ifMatch: response.etag, signal });
}

/** What is done with each of several animals. */
export type BulkChange =
  | { readonly kind: 'patch'; readonly patch: PetPatch<string> }
  | { readonly kind: 'delete' };

/** Only a sale, or its return, changes the status of a sold animal. */
const heldFrom = ({ status }: Pet<string>, patch: PetPatch<string>): string | undefined =>
  status === 'sold' && 'status' in patch ? TEXTS.animals.heldBySale : undefined;

interface Variables {
  /** Finds the animals: those that are selected, or all that match. */
  readonly find: (signal: AbortSignal) => Promise<readonly Pet<string>[]>;
  readonly change: BulkChange;
}

/** Changes several animals. `tried` counts while it runs, of `total`. */
export function useChangeMany() {
  const { store } = useSession();
  const [tried, setTried] = useState(0);
  const [total, setTotal] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const mutation = useChange({
    request: async ({ find, change }: Variables) => {
      running.current = new AbortController();
      const { signal } = running.current;
      setTried(0);
      setTotal(undefined);
      const pets = await find(signal);
      setTotal(pets.length);
      const act = async ({ id }: Pet<string>): Promise<Done | undefined> => {
        if (change.kind === 'patch') {
          const { patch } = change;
          return changePet(store, id, patch, (pet) => heldFrom(pet, patch), signal);
        }
        const { response } = await store.pets.get(id, { signal }).withResponse();
        await store.pets.delete(id, { ifMatch: response.etag, signal });
        return undefined;
      };
      return doEach(pets, act, signal, setTried);
    },
    onSettled: useRefresh(),
  });
  return { ...mutation, tried, total, stop: () => running.current?.abort() };
}
