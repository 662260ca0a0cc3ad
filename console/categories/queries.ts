import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Category, CountedCategory, Inventory } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { hasCode } from '../failures.ts';
import { firstPage } from '../first-page.ts';
import { int64Text } from '../int64.ts';
import { reading } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { keepSameSearch } from '../search.ts';
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

/** Categories with a name that every screen knows. Others are shown by their number. */
const MAX_NAMED = 1000;

export type NamedCategory = CountedCategory<string>;

const allQuery = (store: Store) => ({
  queryKey: ['all-categories'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    store.categories.list({ limit: MAX_PAGE_SIZE }, reading(signal)).toArray({ limit: MAX_NAMED }),
});

const NONE: readonly NamedCategory[] = [];

/** The categories with a name, ascending by number, with the counts of their animals. */
export function useAllCategories(): readonly NamedCategory[] {
  const { store, may } = useSession();
  return useQuery({ ...allQuery(store), enabled: may('pets:read') }).data ?? NONE;
}

/** The names of categories by number. */
export function useCategoryNames(): ReadonlyMap<string, string> {
  return new Map(useAllCategories().map(({ id, name }) => [id, name]));
}

/** Loads the names of categories by number, unless they are there. */
export const loadCategoryNames = async (
  queries: QueryClient,
  store: Store,
): Promise<ReadonlyMap<string, string>> =>
  new Map((await queries.ensureQueryData(allQuery(store))).map(({ id, name }) => [id, name]));

/** How many animals are counted. */
export const totalOf = (counts: Inventory): number =>
  Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);

/** How many numbers are tried. */
const MAX_TRIES = 20;

/** The number after the highest one, unless animals without a named category have it. Undefined if none was found. */
export function useFreeCategory(isEnabled: boolean) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['free-category'],
    queryFn: async ({ signal }): Promise<string | null> => {
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
    },
    enabled: isEnabled,
    staleTime: 0,
  });
}

type Found = Category<string> | undefined;

/** Finds out whether a category has a name already. */
export function useFindCategory() {
  const { store } = useSession();
  const queries = useQueryClient();
  return useChange({
    request: async (id: string): Promise<Found> => {
      const all = await queries.fetchQuery({ ...allQuery(store), staleTime: 0 });
      const listed = all.find((category) => category.id === id);
      if (listed || all.length < MAX_NAMED) return listed;
      try {
        return await store.categories.get(id);
      } catch (error) {
        if (hasCode(error, 'category_not_found')) return undefined;
        throw error;
      }
    },
  });
}

export function useSaveCategory() {
  const { store } = useSession();
  return useChange({
    request: ({ id, name, isNew }: { id: string; name: string; isNew: boolean }) =>
      store.categories.put(id, { name }, isNew ? { ifNoneMatch: '*' } : {}),
    onSettled: useRefresh(),
  });
}

export function useDeleteCategory() {
  const { store } = useSession();
  return useChange({
    request: (id: string) => store.categories.delete(id),
    onSettled: useRefresh(),
  });
}
