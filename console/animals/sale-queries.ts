import type { NewOrder, Order } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { firstPage } from '../first-page.ts';
import { OF_DIALOG, useRead } from '../reading.ts';
import { useSession } from '../session.tsx';

const SHOWN_ORDERS = 5;

/** The newest orders of an animal, if the API key may read orders. An open one is the newest because it holds the animal. */
export function useAnimalOrders(petId: string) {
  const { may } = useSession();
  const query = { petId, sort: '-id', limit: SHOWN_ORDERS } as const;
  return useRead(
    ['animal-orders', petId],
    (store, options) => firstPage(store.orders.list(query, options)),
    { enabled: may('orders:read') },
  );
}

/** Whether an order holds its animal. */
export const isOpen = ({ status }: Order<string>): boolean =>
  status === 'placed' || status === 'approved';

/** The order by which an animal was sold last. Null if there is none. It is read once: a reason is typed for this order. */
export const useLastSale = (petId: string, isEnabled: boolean) =>
  useRead(
    ['last-sale', petId],
    async (store, options): Promise<Order<string> | null> => {
      const query = { petId, status: 'delivered', sort: '-id', limit: 1 } as const;
      const { data } = await firstPage(store.orders.list(query, options));
      return data[0] ?? null;
    },
    { ...OF_DIALOG, enabled: ({ state }) => isEnabled && state.data === undefined },
  );

type Callbacks = Parameters<typeof useChange<Order<string>, NewOrder<string>>>[1];

/** Places an order: a reservation, or a sale over the counter if its status is `delivered`. */
export const usePlaceOrder = (callbacks?: Callbacks) =>
  useChange(
    (store, order, idempotencyKey) => store.orders.place(order, { idempotencyKey }),
    callbacks,
  );
