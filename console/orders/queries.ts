import { keepPreviousData } from '@tanstack/react-query';
import type { CallOptions, Order, OrderStatus, OrdersQuery } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { unlessGone } from '../failures.ts';
import { firstPage, type ListPage, MAX_PAGE_SIZE, PAGE_SIZE } from '../first-page.ts';
import { int64Text } from '../int64.ts';
import { OF_DIALOG, patient, useRead } from '../reading.ts';
import { keepSameSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import type { Store } from '../store.ts';
import type { OrderQuery } from './order-query.ts';

interface OrderPage extends ListPage<Order<string>> {
  /** The names of the animals, by id. Undefined if they are not known. */
  readonly names?: PetNames | undefined;
}

type PetNames = ReadonlyMap<string, string>;

/** One page of orders. While another page of the same search loads, the present one stays. */
export function useOrders(query: OrderQuery | undefined) {
  const { may } = useSession();
  return useRead(
    ['orders', query?.find, query],
    async (store, options): Promise<OrderPage> => {
      if (query === undefined) throw new Error('It is not enabled without a query.');
      const read = query.find === '' ? listed : found;
      const page = await read(store, query, options);
      // A row that grows moves the buttons below it. Orders are shown without names if these cannot be loaded.
      const names = may('pets:read') && namesOf(store, page.data, options).catch(() => undefined);
      return { ...page, names: (await names) || undefined };
    },
    { enabled: query !== undefined, placeholderData: keepSameSearch(query?.find) },
  );
}

function toOrdersQuery(query: Omit<OrderQuery, 'cursor'>): OrdersQuery<string> {
  const { status, petId, isByDelivery, after, before, find, sort } = query;
  const [from, to] = isByDelivery
    ? (['deliveredAfter', 'deliveredBefore'] as const)
    : (['createdAfter', 'createdBefore'] as const);
  return {
    sort: sort || '-id',
    ...(status.length > 0 && { status }),
    ...(petId && { petId }),
    ...(after && { [from]: after }),
    ...(before && { [to]: before }),
    ...(find && { text: find }),
  };
}

const listed = (store: Store, { cursor, ...query }: OrderQuery, options: CallOptions) =>
  firstPage(
    store.orders.list(
      { ...toOrdersQuery(query), limit: PAGE_SIZE, ...(cursor && { cursor }) },
      options,
    ),
  );

/** The number of the order that a text names, perhaps as the page does: `Order 7`. */
const numberIn = (text: string) => int64Text(/^(?:order )?(\d+)$/i.exec(text)?.[1] ?? '');

/** The order with this number, and then those whose reference or note contains the text. */
async function found(store: Store, query: OrderQuery, options: CallOptions): Promise<OrderPage> {
  const number = numberIn(query.find);
  const [numbered, { data, nextCursor }] = await Promise.all([
    number !== undefined && query.cursor === ''
      ? store.orders.get(number, options).catch(unlessGone('order'))
      : undefined,
    listed(store, query, options),
  ]);
  if (numbered === undefined || !isAskedFor(numbered, query)) return { data, nextCursor };
  return { data: [numbered, ...data.filter(({ id }) => id !== numbered.id)], nextCursor };
}

function isAskedFor(order: Order<string>, query: OrderQuery): boolean {
  const { status, petId, isByDelivery, after, before } = query;
  const at = Date.parse((isByDelivery && order.deliveredAt) || order.createdAt);
  return (
    (status.length === 0 || status.includes(order.status)) &&
    (petId === '' || petId === order.petId) &&
    !(isByDelivery && order.deliveredAt === undefined) &&
    !(at < Date.parse(after)) &&
    !(at >= Date.parse(before))
  );
}

async function namesOf(
  store: Store,
  orders: readonly Order<string>[],
  options: CallOptions,
): Promise<PetNames> {
  const id = [...new Set(orders.map(({ petId }) => petId))];
  const pets = await firstPage(store.pets.list({ id, limit: MAX_PAGE_SIZE }, options));
  return new Map(pets.data.map((pet) => [pet.id, pet.name]));
}

export async function* orderPages(store: Store, query: OrderQuery, signal: AbortSignal) {
  const options = patient(signal);
  const first = await (query.find === ''
    ? undefined
    : found(store, { ...query, cursor: '' }, options));
  const [numbered] = first?.data.filter(({ id }) => id === numberIn(query.find)) ?? [];
  if (numbered) yield [numbered];
  const orders = store.orders.list({ ...toOrdersQuery(query), limit: MAX_PAGE_SIZE }, options);
  for await (const { data } of orders.pages()) yield data.filter(({ id }) => id !== numbered?.id);
}

export const useOrder = (id: string) =>
  useRead(['order', id], async (store, options) => store.orders.get(id, options), OF_DIALOG);

/**
 * Returns a function that returns the name of an animal of these orders. Undefined: the name is not known, or the API key may
 * not read it. Null: the animal is deleted.
 */
export function usePetNames(orders: readonly Order<string>[]) {
  const { may } = useSession();
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const { data, isPlaceholderData } = useRead(
    ['pet-names', ids],
    (store, options) => namesOf(store, orders, options),
    { enabled: may('pets:read') && ids.length > 0, placeholderData: keepPreviousData },
  );
  // The names of another page say nothing about the animals of this one.
  const missing = data === undefined || isPlaceholderData ? undefined : null;
  return (id: string): string | null | undefined => data?.get(id) ?? missing;
}

export const useChangeOrder = () =>
  useChange((store, { id, status }: { id: string; status: OrderStatus }) =>
    store.orders.update(id, { status }, { ifMatch: '*' }),
  );
