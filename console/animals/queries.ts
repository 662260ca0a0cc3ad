import type { CallOptions, NewPet, Pet, PetPatch, PetStatus } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { hasCode, unlessGone } from '../failures.ts';
import { firstPage, type ListPage, MAX_PAGE_SIZE, PAGE_SIZE } from '../first-page.ts';
import { int64Text } from '../int64.ts';
import { OF_DIALOG, patient, reading, useRead } from '../reading.ts';
import { keepSameSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import type { Store } from '../store.ts';

export interface PetQuery {
  /** `unset` selects the animals without a status. */
  readonly status: PetStatus | 'unset' | '';
  readonly categoryId: string;
  readonly name: string;
  /** `id`: those that were added first. Otherwise the newest. */
  readonly sort: 'id' | '';
  readonly cursor: string;
}

/** A person looks at the list instead. */
const FIND_TIMEOUT_MS = 15_000;

/** One page of animals. While another page of the same search loads, the present one stays. */
export const usePets = (query: PetQuery | undefined) =>
  useRead(
    ['pets', query?.name, query],
    (store, options) => findPets(store, query ?? ALL, options),
    { enabled: query !== undefined, placeholderData: keepSameSearch(query?.name) },
  );

const ALL: PetQuery = { status: '', categoryId: '', name: '', sort: '', cursor: '' };

type PetPage = ListPage<Pet<string>>;

/** A number is the id of an animal, which comes first, or a part of names. */
async function findPets(store: Store, query: PetQuery, options: CallOptions): Promise<PetPage> {
  const named = readPage(store, query, options);
  const id = int64Text(query.name);
  if (id === undefined) return named;
  const [page, numbered] = await Promise.all([
    named,
    query.cursor === '' ? readPage(store, { ...query, name: '' }, options, id) : { data: [] },
  ]);
  return { ...page, data: [...numbered.data, ...page.data.filter((pet) => pet.id !== id)] };
}

/** The id of the only animal that a text means, or of the one with this number. Undefined if it means several, or none. */
export const useFindPet = () =>
  useChange(
    async (store, name: string) => {
      const options = reading(AbortSignal.timeout(FIND_TIMEOUT_MS));
      const [first, ...others] = (await findPets(store, { ...ALL, name }, options)).data;
      return others.length === 0 || first?.id === int64Text(name) ? first?.id : undefined;
    },
    { refreshes: 'nothing' },
  );

/** The filters of the service, apart from the name. It has none for animals without a status. */
const filtersOf = ({ status, categoryId, sort }: Omit<PetQuery, 'cursor'>) =>
  ({
    sort: sort || '-id',
    ...(status && status !== 'unset' && { status }),
    ...(categoryId && { categoryId }),
  }) as const;

async function readPage(
  store: Store,
  query: PetQuery,
  options: CallOptions,
  id?: string,
): Promise<PetPage> {
  const { status, name, cursor } = query;
  const filters = { ...filtersOf(query), ...(name && { name }), ...(id && { id: [id] }) };
  const read = (limit: number, from: string) =>
    firstPage(store.pets.list({ ...filters, limit, ...(from && { cursor: from }) }, options));
  if (status === 'unset') return pageWithoutStatus((from) => read(MAX_PAGE_SIZE, from), cursor);
  return read(PAGE_SIZE, cursor);
}

/** The pages of the service that are read for one of the screen. */
const MAX_READ = 10;

/** How many animals one page of the screen is selected from, if it finds none. */
export const MAX_SELECTED_FROM = MAX_READ * MAX_PAGE_SIZE;

/** Selects the animals without a status from pages of the service. */
async function pageWithoutStatus(
  read: (cursor: string) => Promise<PetPage>,
  from: string,
): Promise<PetPage> {
  const data: Pet<string>[] = [];
  let nextCursor: string | undefined = from;
  for (let count = 0; count < MAX_READ && data.length < PAGE_SIZE; count += 1) {
    const page: PetPage = await read(nextCursor);
    data.push(...page.data.filter(({ status }) => status === undefined));
    nextCursor = page.nextCursor;
    if (nextCursor === undefined) break;
  }
  return { data, nextCursor };
}

/** All animals that a list shows: a number in its search is also the id of one, which comes first. */
export async function* petPages(
  store: Store,
  query: Omit<PetQuery, 'cursor'>,
  signal: AbortSignal,
): AsyncGenerator<readonly Pet<string>[]> {
  const { status, name } = query;
  const filters = { ...filtersOf(query), limit: MAX_PAGE_SIZE };
  const options = patient(signal);
  const isShown = (pet: Pet<string>) => status !== 'unset' || pet.status === undefined;
  const id = int64Text(name);
  if (id !== undefined) {
    const numbered = await store.pets.list({ ...filters, id: [id] }, options).toArray();
    yield numbered.filter(isShown);
  }
  const named = store.pets.list({ ...filters, ...(name && { name }) }, options);
  for await (const { data } of named.pages())
    yield data.filter((pet) => pet.id !== id && isShown(pet));
}

export async function petsById(
  store: Store,
  ids: readonly string[],
  signal: AbortSignal,
  onCount: (count: number, total: number) => void,
): Promise<Pet<string>[]> {
  const pets: Pet<string>[] = [];
  for (let at = 0; at < ids.length; at += MAX_PAGE_SIZE) {
    onCount(at, ids.length);
    const query = { id: ids.slice(at, at + MAX_PAGE_SIZE), limit: MAX_PAGE_SIZE };
    pets.push(...(await store.pets.list(query, patient(signal)).toArray()));
  }
  return pets;
}

/** An animal with the entity tag of these values. */
export interface PetVersion {
  readonly pet: Pet<string>;
  readonly etag: string | undefined;
}

export const usePet = (id: string) =>
  useRead(
    ['pet', id],
    async (store, options): Promise<PetVersion> => {
      const { data, response } = await store.pets.get(id, options).withResponse();
      return { pet: data, etag: response.etag };
    },
    OF_DIALOG,
  );

/** How many animals have each status, of all or of one category, if the API key may know. */
export function useInventory(of: Pick<PetQuery, 'categoryId' | 'name'> | undefined) {
  const { may } = useSession();
  const { categoryId, name } = of ?? {};
  const query = { ...(categoryId && { categoryId }), ...(name && { name }) };
  return useRead(
    ['inventory', categoryId, name],
    (store, options) => store.inventory.get(query, options),
    { enabled: may('orders:read') && of !== undefined },
  );
}

export type PetInput = NewPet<string>;

/** Adds an animal. Used for one animal only. */
export const useCreatePet = () =>
  useChange((store, pet: PetInput, idempotencyKey) => store.pets.create(pet, { idempotencyKey }));

/** Adds animals by one request, all or none. Used for one list only. */
export const useCreatePets = () =>
  useChange((store, pets: readonly PetInput[], idempotencyKey) =>
    store.pets.createMany(pets, { idempotencyKey }),
  );

/** The animal with this id, unless somebody has changed it since it had this tag. */
interface Target {
  readonly id: string;
  readonly etag: string | undefined;
}

/** Changes an animal. An attempt without a response may have done so. */
export const updatePet = async (
  store: Store,
  { id, etag, patch }: Target & { readonly patch: PetPatch<string> },
): Promise<void> => {
  try {
    await store.pets.update(id, patch, { ifMatch: etag });
  } catch (error) {
    if (!hasCode(error, 'precondition_failed')) throw error;
    const now = await store.pets.get(id).catch(() => Promise.reject(error));
    const fields = Object.keys(patch) as (keyof typeof patch)[];
    if (fields.some((field) => patch[field] !== (now[field] ?? null))) throw error;
  }
};

export const useUpdatePet = () => useChange(updatePet);

export const useDeletePet = () =>
  useChange((store, { id, etag }: Target) =>
    store.pets.delete(id, { ifMatch: etag }).catch(unlessGone('pet')),
  );
