import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Category } from '../../sdk/src/index.ts';
import { hasCode } from '../failures.ts';
import { firstPage } from '../first-page.ts';
import { reading } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { type Store, useSession } from '../session.tsx';

const PAGE_SIZE = 20;
/** The most that one page of the service holds. */
const MAX_PAGE_SIZE = 100;

const pageQuery = (store: Store, cursor: string, limit: number) => ({
  queryKey: ['categories', cursor, limit],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    firstPage(store.categories.list({ limit, ...(cursor && { cursor }) }, reading(signal))),
});

/** One page of categories. */
export function useCategories(cursor: string, limit = PAGE_SIZE) {
  const { store } = useSession();
  return useQuery({
    ...pageQuery(store, cursor, limit),
    placeholderData: keepPreviousData,
  });
}

/** The names of the first hundred categories by id. Others are shown by their number. */
export function useCategoryNames(): ReadonlyMap<string, string> {
  const { data } = useCategories('', MAX_PAGE_SIZE);
  return new Map(data?.data.map(({ id, name }) => [id, name]));
}

type Found = Category<string> | undefined;

/** Finds out whether a category has a name already. */
export function useFindCategory() {
  const { store } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string): Promise<Found> => {
      const query = pageQuery(store, '', MAX_PAGE_SIZE);
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
