import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { firstPage } from '../first-page.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';

const PAGE_SIZE = 20;
/** The most that one page of the service holds. */
const MAX_PAGE_SIZE = 100;

/** One page of categories. */
export function useCategories(cursor: string, limit = PAGE_SIZE) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['categories', cursor, limit],
    queryFn: ({ signal }) =>
      firstPage(store.categories.list({ limit, ...(cursor && { cursor }) }, { signal })),
    placeholderData: keepPreviousData,
  });
}

/** The names of the first hundred categories by id. Others are shown by their number. */
export function useCategoryNames(): ReadonlyMap<string, string> {
  const { data } = useCategories('', MAX_PAGE_SIZE);
  return new Map(data?.data.map(({ id, name }) => [id, name]));
}

export function useSaveCategory() {
  const { store } = useSession();
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) => store.categories.put(id, { name }),
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
