import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { Order, OrderStatus } from '../../sdk/src/index.ts';
import { firstPage } from '../first-page.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';

export interface OrderQuery {
  readonly status: string;
  readonly petId: string;
  readonly cursor: string;
}

const PAGE_SIZE = 20;

/** One page of orders. While another page loads, the present one stays. */
export function useOrders({ status, petId, cursor }: OrderQuery) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['orders', status, petId, cursor],
    queryFn: ({ signal }) =>
      firstPage(
        store.orders.list(
          {
            limit: PAGE_SIZE,
            ...(status && { status: status as OrderStatus }),
            ...(petId && { petId }),
            ...(cursor && { cursor }),
          },
          { signal },
        ),
      ),
    placeholderData: keepPreviousData,
  });
}

/** The open order of an animal: at most one exists. Null if there is none, or it may not be read. */
export function useOpenOrder(petId: string) {
  const { store, may } = useSession();
  return useQuery({
    queryKey: ['open-order', petId],
    queryFn: async ({ signal }): Promise<Order<string> | null> => {
      for (const status of ['placed', 'approved'] as const) {
        const { data } = await firstPage(
          store.orders.list({ petId, status, limit: 1 }, { signal }),
        );
        const [order] = data;
        if (order) return order;
      }
      return null;
    },
    enabled: may('orders:read'),
  });
}

export function usePlaceOrder() {
  const { store } = useSession();
  return useMutation({
    mutationFn: (petId: string) => store.orders.place({ petId }),
    onSettled: useRefresh(),
  });
}

export function useChangeOrder() {
  const { store } = useSession();
  return useMutation({
    mutationFn: ({ id, status }: { id: string; status: OrderStatus }) =>
      store.orders.update(id, { status }),
    onSettled: useRefresh(),
  });
}
