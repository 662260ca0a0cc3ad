import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Category } from '../../sdk/src/index.ts';
import { hasCode } from '../failures.ts';
import { firstPage } from '../first-page.ts';
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
  readonly cursor: string;
  readonly limit: number;
}

/** The first categories of all. */
const FIRST: CategoryQuery = { name: '', cursor: '', limit: MAX_PAGE_SIZE };

const pageQuery = (store: Store, { name, cursor, limit }: CategoryQuery) => ({
  queryKey: ['categories', name, cursor, limit],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    firstPage(
      store.categories.list(
        { limit, ...(name && { name }), ...(cursor && { cursor }) },
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

/** The names of the first hundred categories by id. Others are shown by their number. */
export function useCategoryNames(): ReadonlyMap<string, string> {
  const { store } = useSession();
  const { data } = useQuery(pageQuery(store, FIRST));
  return new Map(data?.data.map(({ id, name }) => [id, name]));
}

type Found = Category<string> | undefined;

/** Finds out whether a category has a name already. */
export function useFindCategory() {
  const { store } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string): Promise<Found> => {
      const query = pageQuery(store, FIRST);
      const { data, nextCursor } = await queries.fetchQuery({ ...query, staleTime: 0 });
      const listed = data.find((category) => category.id === id);
      if (listed || nextCursor === undefined) return listed;
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
  return useMutation({
    mutationFn: ({ id, name, isNew }: { id: string; name: string; isNew: boolean }) =>
      store.categories.put(id, { name }, isNew ? { ifNoneMatch: '*' } : {}),
    onSettled: useRefresh(),
  });
}

export function useDeleteCategory() {
  const { store } = useSession();
  return useMutation({
    mutationFn: (id: string) => store.categories.delete(id),
    onSettled: useRefresh(),
  });
}
