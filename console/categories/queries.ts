import {
  keepPreviousData,
  type QueryClient,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Category, CountedCategory, Inventory } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { hasCode } from '../failures.ts';
import { firstPage } from '../first-page.ts';
import { int64Text } from '../int64.ts';
import { reading } from '../reading.ts';
import { KNOWN, useRefresh } from '../refresh.ts';
import { keepSameSearch, searchFault, searchTerm } from '../search.ts';
import { type Store, useSession } from '../session.tsx';

const PAGE_SIZE = 20;
/** The most that one page of the service holds. */
const MAX_PAGE_SIZE = 100;

interface CategoryQuery {
  /** A part of the name. */
  readonly name: string;
  /** `-id`: the largest number first. */
  readonly sort: '-id' | '';
  readonly cursor: string;
  readonly limit: number;
}

/** The first categories of all. */
const FIRST: CategoryQuery = { name: '', sort: '', cursor: '', limit: MAX_PAGE_SIZE };

const pageQuery = (store: Store, { name, sort, cursor, limit }: CategoryQuery) => ({
  queryKey: ['categories', name, sort, cursor, limit],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    firstPage(
      store.categories.list(
        { limit, ...(name && { name }), ...(sort && { sort }), ...(cursor && { cursor }) },
        reading(signal),
      ),
    ),
});

/** One page of categories, unless there is no query. */
export function useCategories(query: Omit<CategoryQuery, 'limit'> | undefined) {
  const { store } = useSession();
  return useQuery({
    ...pageQuery(store, { ...FIRST, ...query, limit: PAGE_SIZE }),
    enabled: query !== undefined,
    placeholderData: keepSameSearch(query?.name),
  });
}

/** Categories that every screen knows. In a store with more, the others are asked for one by one. */
const MAX_KNOWN = 1000;

/** Each reading of many categories is many requests. */
const KNOWN_STALE_MS = 60_000;

export type NamedCategory = Category<string> & Partial<Pick<CountedCategory<string>, 'counts'>>;

const knownQuery = (store: Store) => ({
  queryKey: [KNOWN],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    store.categories.list({ limit: MAX_PAGE_SIZE }, reading(signal)).toArray({ limit: MAX_KNOWN }),
  staleTime: KNOWN_STALE_MS,
});

const NONE: readonly NamedCategory[] = [];

/** The first categories with a name, ascending by number. */
function useKnownCategories(): readonly NamedCategory[] {
  const { store, may } = useSession();
  return useQuery({ ...knownQuery(store), enabled: may('pets:read') }).data ?? NONE;
}

/** The category with a number. Undefined if it has no name, or it is not known yet. */
export function useCategory(id: string | undefined): NamedCategory | undefined {
  const { store } = useSession();
  const known = useKnownCategories();
  const category = known.find((one) => one.id === id);
  const isOther = category === undefined && known.length >= MAX_KNOWN && id !== undefined;
  const { data } = useQuery({
    queryKey: ['category', id],
    queryFn: () => (id === undefined ? null : categoryOf(store, id)),
    enabled: isOther,
    staleTime: KNOWN_STALE_MS,
  });
  return category ?? data ?? undefined;
}

/** The categories that a text may mean: those that are known, and in a store with more also those that the service finds. */
export function useCategoriesFor(text: string): readonly NamedCategory[] {
  const { store } = useSession();
  const known = useKnownCategories();
  const term = searchTerm(text);
  const numbered = useCategory(int64Text(text));
  const { data = NONE } = useQuery({
    queryKey: ['found-categories', term],
    queryFn: async ({ signal }): Promise<readonly NamedCategory[]> =>
      (await firstPage(store.categories.list({ name: term, limit: PAGE_SIZE }, reading(signal))))
        .data,
    enabled: known.length >= MAX_KNOWN && term !== '' && searchFault(term) === undefined,
    // A name that the field completes is found at once.
    placeholderData: keepPreviousData,
    staleTime: KNOWN_STALE_MS,
  });
  const others = [...data, ...(numbered ? [numbered] : [])];
  const added = others.filter(({ id }) => !known.some((one) => one.id === id));
  return added.length === 0 ? known : [...known, ...added];
}

/** Loads all categories, however many, unless they are there. */
export async function loadCategories(
  queries: QueryClient,
  store: Store,
): Promise<readonly NamedCategory[]> {
  const known = await queries.ensureQueryData(knownQuery(store));
  return known.length < MAX_KNOWN
    ? known
    : store.categories.list({ limit: MAX_PAGE_SIZE }).toArray({ limit: MAX_LOADED });
}

/** The names of categories by number. */
export const namesOf = (categories: readonly NamedCategory[]): ReadonlyMap<string, string> =>
  new Map(categories.map(({ id, name }) => [id, name]));

/** More than any shop has. */
const MAX_LOADED = 1_000_000;

async function categoryOf(store: Store, id: string): Promise<Category<string> | null> {
  try {
    return await store.categories.get(id);
  } catch (error) {
    if (hasCode(error, 'category_not_found')) return null;
    throw error;
  }
}

/** How many animals are counted. */
export const totalOf = (counts: Inventory): number =>
  Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);

/** How many numbers are tried. */
const MAX_TRIES = 20;

/** The number after the highest one, unless animals without a named category have it. Null if none was found. */
async function findFreeId(store: Store, signal: AbortSignal): Promise<string | null> {
  const options = reading(signal);
  const last = await firstPage(store.categories.list({ limit: 1, sort: '-id' }, options));
  const highest = BigInt(last.data[0]?.id ?? 0);
  const first = highest < 0n ? 1n : highest + 1n;
  for (let tries = 0n; tries < MAX_TRIES; tries += 1n) {
    const categoryId = int64Text(String(first + tries));
    if (categoryId === undefined) return null;
    const animals = await firstPage(store.pets.list({ categoryId, limit: 1 }, options));
    if (animals.data.length === 0) return categoryId;
  }
  return null;
}

/** A number for a new category. Null if none was found. */
export function useFreeCategory(isEnabled: boolean) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['free-category'],
    queryFn: ({ signal }) => findFreeId(store, signal),
    enabled: isEnabled,
    staleTime: 0,
  });
}

/** The category with a number as it is now. Null if it has no name. */
export function useFindCategory() {
  const { store } = useSession();
  return useChange({ request: (id: string) => categoryOf(store, id) });
}

/** Names a new category. Its number is the next one that is free. */
export function useAddCategory() {
  const { store } = useSession();
  const refresh = useRefresh(KNOWN);
  const queries = useQueryClient();
  return useChange({
    request: async (name: string) => {
      const id = await findFreeId(store, new AbortController().signal);
      if (id === null) throw new Error('No number is free.');
      await store.categories.put(id, { name }, { ifNoneMatch: '*' });
      // The field knows the name when it says so.
      await queries.refetchQueries({ queryKey: [KNOWN] });
    },
    onSettled: refresh,
  });
}

export function useSaveCategory() {
  const { store } = useSession();
  return useChange({
    request: ({ id, name, isNew }: { id: string; name: string; isNew: boolean }) =>
      store.categories.put(id, { name }, isNew ? { ifNoneMatch: '*' } : {}),
    onSettled: useRefresh(KNOWN),
  });
}

export function useDeleteCategory() {
  const { store } = useSession();
  return useChange({
    request: (id: string) => store.categories.delete(id),
    onSettled: useRefresh(KNOWN),
  });
}
