import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { Order, OrderStatus } from '../../sdk/src/index.ts';
import { firstPage, type ListPage } from '../first-page.ts';
import { reading } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { type Store, useSession } from '../session.tsx';

export interface OrderQuery {
  /** A status, `open` for those that need a step, or `all`. */
  readonly status: OrderStatus | 'open' | 'all';
  readonly petId: string;
  readonly cursor: string;
}

const PAGE_SIZE = 20;
/** The most that one page of the service holds. */
const MAX_PAGE_SIZE = 100;
/** Open orders of each status. A store with more needs a tool, not a page. */
export const MAX_OPEN = 1000;

const OPEN_STATUSES = ['placed', 'approved'] as const;

export type OrderPage = ListPage<Order<string>> & {
  /** There are more open orders than the page loads. */
  readonly isCut?: boolean;
};

/** One page of orders. While another page loads, the present one stays. */
export function useOrders(query: OrderQuery | undefined) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['orders', query],
    queryFn: ({ signal }): Promise<OrderPage> => {
      if (query === undefined) throw new Error('It is not enabled without a query.');
      return query.status === 'open'
        ? openOrders(store, query, signal)
        : someOrders(store, query, signal);
    },
    enabled: query !== undefined,
    placeholderData: keepPreviousData,
  });
}

const someOrders = (store: Store, { status, petId, cursor }: OrderQuery, signal: AbortSignal) =>
  firstPage(
    store.orders.list(
      {
        limit: PAGE_SIZE,
        ...(status !== 'all' && status !== 'open' && { status }),
        ...(petId && { petId }),
        ...(cursor && { cursor }),
      },
      reading(signal),
    ),
  );

/**
 * One page of the open orders, the newest first. The service lists by ascending id and filters by one status, so all
 * open orders are loaded. Their number is limited by the animals that are held.
 */
async function openOrders(
  store: Store,
  { petId, cursor }: OrderQuery,
  signal: AbortSignal,
): Promise<OrderPage> {
  const found = new Map<string, Order<string>>();
  let isCut = false;
  // One after the other: an order that is approved meanwhile is in both, and not in neither.
  for (const status of OPEN_STATUSES) {
    const query = { status, limit: MAX_PAGE_SIZE, ...(petId && { petId }) };
    let count = 0;
    for await (const order of store.orders.list(query, reading(signal))) {
      count += 1;
      isCut ||= count > MAX_OPEN;
      if (count > MAX_OPEN) break;
      found.set(order.id, order);
    }
  }
  const newestFirst = [...found.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
  const start = Number.parseInt(cursor, 10) || 0;
  const end = start + PAGE_SIZE;
  const nextCursor = end < newestFirst.length ? String(end) : undefined;
  return { data: newestFirst.slice(start, end), nextCursor, isCut };
}

/** The open order of an animal: at most one exists. Null if there is none, or it may not be read. */
export function useOpenOrder(petId: string) {
  const { store, may } = useSession();
  return useQuery({
    queryKey: ['open-order', petId],
    queryFn: async ({ signal }): Promise<Order<string> | null> => {
      for (const status of OPEN_STATUSES) {
        const list = store.orders.list({ petId, status, limit: 1 }, reading(signal));
        const [order] = (await firstPage(list)).data;
        if (order) return order;
      }
      return null;
    },
    enabled: may('orders:read'),
  });
}

/** The names of the animals of these orders, if the API key may read them. A deleted animal has none. */
export function usePetNames(orders: readonly Order<string>[]) {
  const { store, may } = useSession();
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const { data } = useQuery({
    queryKey: ['pet-names', ids],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const list = store.pets.list({ id: ids, limit: MAX_PAGE_SIZE }, reading(signal));
      return new Map((await firstPage(list)).data.map(({ id, name }) => [id, name]));
    },
    enabled: may('pets:read') && ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return data;
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
