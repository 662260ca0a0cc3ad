import { useQuery } from '@tanstack/react-query';
import type { NewOrder, Order } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { firstPage } from '../first-page.ts';
import { reading } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';

/** The orders that the dialog of an animal shows. */
const SHOWN_ORDERS = 5;

/** The newest orders of an animal, if the API key may read orders. An open one is the newest because it holds the animal. */
export function useAnimalOrders(petId: string) {
  const { store, may } = useSession();
  return useQuery({
    queryKey: ['animal-orders', petId],
    queryFn: ({ signal }) => {
      const query = { petId, sort: '-id', limit: SHOWN_ORDERS } as const;
      return firstPage(store.orders.list(query, reading(signal)));
    },
    enabled: may('orders:read'),
  });
}

/** Whether an order holds its animal. */
export const isOpen = ({ status }: Order<string>): boolean =>
  status === 'placed' || status === 'approved';

/** The order by which an animal was sold last. Null if there is none. */
export function useLastSale(petId: string, isEnabled: boolean) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['last-sale', petId],
    queryFn: async ({ signal }): Promise<Order<string> | null> => {
      const query = { petId, status: 'delivered', sort: '-id', limit: 1 } as const;
      const { data } = await firstPage(store.orders.list(query, reading(signal)));
      return data[0] ?? null;
    },
    enabled: isEnabled,
    staleTime: 0,
  });
}

/** Places an order: a reservation, or a sale over the counter if its status is `delivered`. */
export function usePlaceOrder() {
  const { store } = useSession();
  return useChange({
    request: (order: NewOrder<string>, idempotencyKey) =>
      store.orders.place(order, { idempotencyKey }),
    onSettled: useRefresh(),
  });
}
