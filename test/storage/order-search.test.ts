/** A list of orders returns what a plain loop over all orders returns, with every filter and in every order. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ListQuery, Position } from '../../src/http/contract/list-query.ts';
import type { Order } from '../../src/orders/order.ts';
import { type OrderFilters, timeOrderOf } from '../../src/orders/order-filters.ts';
import { ORDER_STATUSES } from '../../src/orders/order-states.ts';
import type { OrderStore } from '../../src/orders/order-store.ts';
import { runSteps, type Steps, wait } from '../../src/steps.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { anyWorldName, foldSlowly } from '../support/names.ts';
import { useShared } from '../support/use-each.ts';
import { sometimes } from './animals.ts';

/** More than the first slice of a search, so that most searches read several. */
const ORDERS = 1_200;
const seed = Number(process.env['SEED'] ?? Date.now());
console.log(`SEED=${seed}`);

const NOON = Date.UTC(2027, 0, 1, 12);
const at = (minute: number): string => new Date(NOON + minute * 60_000).toISOString();

const TEXTS = fc.sample(anyWorldName, { seed, numRuns: 500 });
const textAt = (index: number): string => TEXTS[index % TEXTS.length] ?? '';

const startOf = (text: string): string => [...text].slice(0, 20).join('');

/** Orders with equal times, some without texts. Several have the same animal, and each animal one open order at most. */
const orderAt = (index: number): Omit<Order, 'id'> => {
  const status = ORDER_STATUSES[(index * 7) % ORDER_STATUSES.length] ?? 'cancelled';
  const isOpen = status === 'placed' || status === 'approved';
  const isDelivered = status === 'delivered' || status === 'returned';
  return {
    petId: isOpen ? 1_000 + index : index % 40,
    status,
    createdAt: at(index % 700),
    ...(status === 'placed' && { expiresAt: at(1_000 + ((index * 31) % 90)) }),
    ...(isDelivered && { deliveredAt: at(700 + ((index * 13) % 300)) }),
    ...(!isOpen && { endedAt: at(1_000) }),
    ...(index % 3 > 0 && {
      reference: ['counter', 'Counter'][index % 5] ?? startOf(textAt(index)),
    }),
    ...(index % 4 > 1 && { note: `${textAt(index * 3)}\n${textAt(index + 1)}` }),
  };
};

const anyMinute = fc.integer({ min: 0, max: 1_000 }).map(at);
const anyMinuteOfDeliveries = fc.integer({ min: 690, max: 1_000 }).map(at);

const anyList = fc.record({
  // A missing filter does not compile.
  filters: fc.record({
    text: sometimes(
      fc
        .tuple(fc.nat(TEXTS.length - 1), fc.nat(9), fc.integer({ min: 1, max: 4 }), fc.boolean())
        .map(([index, start, length, isUpper]) => {
          const characters = [...textAt(index)];
          const part = characters
            .slice(start % characters.length)
            .slice(0, length)
            .join('');
          return isUpper ? part.toUpperCase() : part;
        })
        .filter((text) => foldSlowly(text) !== ''),
      2,
    ),
    petId: sometimes(fc.nat(45), 5),
    status: sometimes(fc.array(fc.constantFrom(...ORDER_STATUSES), { minLength: 1 }), 3),
    reference: sometimes(fc.constantFrom('counter', 'Counter', startOf(textAt(1))), 6),
    createdAfter: sometimes(anyMinute, 5),
    createdBefore: sometimes(anyMinute, 5),
    deliveredAfter: sometimes(anyMinuteOfDeliveries, 4),
    deliveredBefore: sometimes(anyMinuteOfDeliveries, 4),
  } satisfies Readonly<Record<keyof OrderFilters, unknown>>),
  sort: fc.constantFrom('id', '-id', 'expiresAt'),
  skipped: sometimes(fc.nat(200), 2),
  count: fc.integer({ min: 1, max: 101 }),
});

type ListOf = typeof anyList extends fc.Arbitrary<infer List> ? List : never;

function queryOf({ filters, sort }: ListOf): ListQuery<OrderFilters> {
  if (sort === 'expiresAt') return { filters, sort: 'id', by: sort };
  return { filters, sort: sort as 'id' | '-id', by: timeOrderOf(filters) };
}

const isWithin = (time: string | undefined, from: string | undefined, before: string | undefined) =>
  (from === undefined && before === undefined) ||
  (time !== undefined &&
    (from === undefined || time >= from) &&
    (before === undefined || time < before));

const folded = new WeakMap<Order, readonly string[]>();

function textsOf(order: Order): readonly string[] {
  const { reference = '', note = '' } = order;
  const texts = folded.get(order) ?? [reference, note].map(foldSlowly);
  folded.set(order, texts);
  return texts;
}

function plainLoop(orders: readonly Order[], { filters, sort, by }: ListQuery<OrderFilters>) {
  const { text, petId, status, reference, ...times } = filters;
  const term = text === undefined ? '' : foldSlowly(text);
  const found = orders.filter(
    (order) =>
      (by !== 'expiresAt' || order.status === 'placed') &&
      (text === undefined || textsOf(order).some((one) => one.includes(term))) &&
      (petId === undefined || order.petId === petId) &&
      (status === undefined || status.includes(order.status)) &&
      (reference === undefined || order.reference === reference) &&
      isWithin(order.createdAt, times.createdAfter, times.createdBefore) &&
      isWithin(order.deliveredAt, times.deliveredAfter, times.deliveredBefore),
  );
  const timeOf = (order: Order): number => (by ? Date.parse(order[by] ?? '') : 0);
  found.sort((a, b) => timeOf(a) - timeOf(b) || Number(a.id) - Number(b.id));
  return sort === 'id' ? found : found.toReversed();
}

function positionOf(order: Order | undefined, { by }: ListQuery): Position | undefined {
  if (order === undefined || by === undefined) return order?.id;
  return { id: order.id, time: Date.parse(order[by] ?? '') };
}

describe.each(ENGINES)('in $name, a list of 1,200 orders', ({ open }) => {
  const storage = useShared(open);
  const all: Order[] = [];
  function* addSome(orders: OrderStore): Steps<void> {
    for (let count = 0; count < 100; count += 1)
      all.push(yield* wait(orders.create(orderAt(all.length))));
  }
  beforeAll(async () => {
    while (all.length < ORDERS)
      await storage.database.write(BY_TEST, ({ orders }) => runSteps(addSome(orders)));
  });

  const expectPlainLoop = (runs: number) =>
    fc.assert(
      fc.asyncProperty(anyList, async (list) => {
        const query = queryOf(list);
        const expected = plainLoop(all, query);
        const skipped = Math.min(list.skipped ?? 0, expected.length);
        const after = positionOf(expected[skipped - 1], query);
        const found = await storage.database.read.orders.list(query, after, list.count);
        expect(found).toEqual(expected.slice(skipped, skipped + list.count));
      }),
      { seed, numRuns: runs },
    );

  test('has the orders that match, from any position on', () => expectPlainLoop(60));

  test('counts the orders of each day, and those that are open', async () => {
    const bounds = [0, 100, 100, 650, 700, 701, 1_000, 1_001].map((minute) =>
      Date.parse(at(minute)),
    );
    const isOn = (time: string | undefined, index: number) =>
      time !== undefined &&
      Date.parse(time) >= (bounds[index] ?? 0) &&
      Date.parse(time) < (bounds[index + 1] ?? 0);
    const ended = (status: string, index: number) =>
      all.filter((order) => order.status === status && isOn(order.endedAt, index)).length;
    const { orders } = storage.database.read;
    expect([...(await orders.countDays(bounds))]).toEqual(
      bounds.slice(1).map((_end, index) => ({
        placed: all.filter(({ createdAt }) => isOn(createdAt, index)).length,
        delivered: all.filter(({ deliveredAt }) => isOn(deliveredAt, index)).length,
        cancelled: ended('cancelled', index),
        expired: ended('expired', index),
        returned: ended('returned', index),
      })),
    );
    const open = (status: string) => all.filter((order) => order.status === status).length;
    const expected = { placed: open('placed'), approved: open('approved') };
    expect(await orders.countOpen()).toEqual(expected);
  });

  test('finds texts that were changed and removed', async () => {
    function* change(orders: OrderStore, from: number): Steps<void> {
      for (const [index, order] of all.slice(from, from + 100).entries()) {
        const { note: _note, ...rest } = order;
        const changed: Order = { ...rest, ...(index % 2 === 0 && { note: textAt(index * 11) }) };
        yield* wait(orders.replace(changed));
        all[from + index] = changed;
      }
    }
    for (const from of [0, 100, 200])
      await storage.database.write(BY_TEST, ({ orders }) => runSteps(change(orders, from)));
    await expectPlainLoop(30);
  });
});
