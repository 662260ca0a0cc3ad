import { useState } from 'react';
import type { Pet, PetPatch } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { describeFailure } from '../failures.ts';
import { useRefresh } from '../refresh.ts';
import { type Store, useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';

/** What is done with each of several animals. */
export type BulkChange =
  | { readonly kind: 'patch'; readonly patch: PetPatch<string> }
  | { readonly kind: 'delete' };

/** An animal that was not changed, and why. */
export interface Refused {
  readonly pet: Pet<string>;
  readonly reason: string;
}

/** Thrown for a change that only a sale, or its return, may make. */
class SoldError extends Error {}

async function apply(store: Store, { id }: Pet<string>, change: BulkChange): Promise<void> {
  if (change.kind === 'delete') {
    const { response } = await store.pets.get(id).withResponse();
    await store.pets.delete(id, { ifMatch: response.etag });
    return;
  }
  await store.pets.edit(id, (pet) => {
    if (pet.status === 'sold' && 'status' in change.patch) throw new SoldError();
    return change.patch;
  });
}

const reasonOf = (error: unknown): string =>
  error instanceof SoldError ? TEXTS.animals.heldBySale : describeFailure(error).message;

/** Changes several animals, one after the other. The result has those that were not changed. `done` counts while it runs. */
export function useChangeMany() {
  const { store } = useSession();
  const [done, setDone] = useState(0);
  const mutation = useChange({
    request: async ({ pets, change }: { pets: readonly Pet<string>[]; change: BulkChange }) => {
      const refused: Refused[] = [];
      for (const [index, pet] of pets.entries()) {
        setDone(index);
        await apply(store, pet, change).catch((error: unknown) => {
          refused.push({ pet, reason: reasonOf(error) });
        });
      }
      return refused;
    },
    onSettled: useRefresh(),
  });
  return { ...mutation, done };
}
