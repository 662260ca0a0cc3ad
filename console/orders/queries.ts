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

/** One page of orders, the newest first. While another page loads, the present one stays. */
export function useOrders(query: OrderQuery | undefined) {
  const { store } = useSession();
  const isOpen = query?.status === 'open';
  return useQuery({
    queryKey: ['orders', isOpen ? { ...query, cursor: '' } : query],
    queryFn: ({ signal }): Promise<OrderPage> => {
      if (query === undefined) throw new Error('It is not enabled without a query.');
      return isOpen ? openOrders(store, query, signal) : someOrders(store, query, signal);
    },
    select: (orders) => pageOf(orders, isOpen ? query.cursor : ''),
    enabled: query !== undefined,
    placeholderData: keepPreviousData,
  });
}

const someOrders = (store: Store, { status, petId, cursor }: OrderQuery, signal: AbortSignal) =>
  firstPage(
    store.orders.list(
      {
        limit: PAGE_SIZE,
        sort: '-id',
        ...(status !== 'all' && status !== 'open' && { status }),
        ...(petId && { petId }),
        ...(cursor && { cursor }),
      },
      reading(signal),
    ),
  );

/**
 * All open orders, the newest first. The service filters by one status, so all open orders are
 * loaded. Their number is limited by the animals that are held.
 */
async function openOrders(
  store: Store,
  { petId }: OrderQuery,
  signal: AbortSignal,
): Promise<OrderPage> {
  const found = new Map<string, Order<string>>();
  let isCut = false;
  // One after the other: an order that is approved in between is in both, and not in neither.
  for (const status of OPEN_STATUSES) {
    const query = { status, limit: MAX_PAGE_SIZE, sort: '-id', ...(petId && { petId }) } as const;
    let count = 0;
    for await (const order of store.orders.list(query, reading(signal))) {
      count += 1;
      isCut ||= count > MAX_OPEN;
      if (count > MAX_OPEN) break;
      found.set(order.id, order);
    }
  }
  const newestFirst = [...found.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
  return { data: newestFirst, nextCursor: undefined, isCut };
}

/**
 * Also for one page of the service: while it loads, the open orders may stay.
 *
 * @param cursor the index of the first order
 */
function pageOf(orders: OrderPage, cursor: string): OrderPage {
  const start = Math.max(0, Number.parseInt(cursor, 10) || 0);
  const end = start + PAGE_SIZE;
  const nextCursor = end < orders.data.length ? String(end) : orders.nextCursor;
  return { ...orders, data: orders.data.slice(start, end), nextCursor };
}

/**
 * Returns a function that returns the name of an animal of these orders: undefined if it is not known, or the API key
 * may not read it, and null if the animal is deleted.
 */
export function usePetNames(orders: readonly Order<string>[]) {
  const { store, may } = useSession();
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['pet-names', ids],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const list = store.pets.list({ id: ids, limit: MAX_PAGE_SIZE }, reading(signal));
      return new Map((await firstPage(list)).data.map(({ id, name }) => [id, name]));
    },
    enabled: may('pets:read') && ids.length > 0,
    placeholderData: keepPreviousData,
  });
  // The names of another page say nothing about the animals of this one.
  const missing = data === undefined || isPlaceholderData ? undefined : null;
  return (id: string): string | null | undefined => data?.get(id) ?? missing;
}

export function useChangeOrder() {
  const { store } = useSession();
  return useMutation({
    mutationFn: ({ id, status }: { id: string; status: OrderStatus }) =>
      store.orders.update(id, { status }),
    onSettled: useRefresh(),
  });
}
