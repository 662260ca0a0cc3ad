import { describe, expect, test } from 'bun:test';
import type { Int64 } from '../../src/int64.ts';
import { chain } from '../../src/maybe-promise.ts';
import type { Order } from '../../src/orders/order.ts';
import type { OrderFilters } from '../../src/orders/order-filters.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../src/orders/order-states.ts';
import type { OrderStore } from '../../src/orders/order-store.ts';
import { expireOrders } from '../../src/server/background-jobs.ts';
import { runSteps, type Steps, wait } from '../../src/steps.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { ascending } from '../support/list-query.ts';
import { useEach } from '../support/use-each.ts';
import { rex } from './animals.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');
const OPEN: readonly OrderStatus[] = ['placed', 'approved'];

const at = (ms: number): string => new Date(NOON + ms).toISOString();

const newOrder = (petId: Int64, fields: Partial<Order> = {}): Omit<Order, 'id'> => ({
  petId,
  status: 'placed',
  createdAt: at(0),
  expiresAt: at(1_000),
  ...fields,
});

describe.each(ENGINES)('$name', ({ open }) => {
  const storage = useEach(open);

  const create = (order: Omit<Order, 'id'>) =>
    storage.database.write(BY_TEST, ({ orders }) => orders.create(order));
  const isReserved = (petId: Int64) =>
    storage.database.write(BY_TEST, ({ orders }) => orders.isReserved(petId));
  const get = async (id: Int64) => storage.database.read.orders.get(id);
  const list = async (filters: OrderFilters = {}, afterId?: Int64, count = 100) =>
    storage.database.read.orders.list(ascending(filters), afterId, count);

  test('stores orders with the exact ids of their animals', async () => {
    // Those that are equal as rounded numbers are next to each other.
    for (const petId of INT64_EDGES.map(int64)) {
      expect([petId, await isReserved(petId), await list({ petId })]).toEqual([petId, false, []]);
      const created = await create(newOrder(petId));
      expect(created.petId).toBe(petId);
      expect((await get(created.id))?.petId).toBe(petId);
      expect(await list({ petId })).toStrictEqual([created]);
      expect(await isReserved(petId)).toBe(true);
    }
  });

  test('refuses an open order for an animal that has one', async () => {
    const pairs = ORDER_STATUSES.flatMap((one) => OPEN.map((other) => [one, other] as const));
    for (const [petId, [one, other]] of pairs.entries()) {
      const isOpen = OPEN.includes(one);
      const first = await create(newOrder(petId, { status: one }));
      expect([one, await isReserved(petId)]).toEqual([one, isOpen]);
      const second = await create(newOrder(petId, { status: other })).catch(() => undefined);
      expect([one, other, second === undefined]).toEqual([one, other, isOpen]);
      expect(await list({ petId })).toStrictEqual(second === undefined ? [first] : [first, second]);
    }
  });

  test('expires 1,100 due orders, the one asked for first, and reports each once', async () => {
    await importPets(storage.database, Array(1_100).fill(rex({ status: 'pending' })));
    function* hold(orders: OrderStore, from: number): Steps<void> {
      for (let petId = from; petId < from + 100; petId += 1)
        yield* wait(orders.create(newOrder(petId)));
    }
    for (let from = 1; from < 1_100; from += 100)
      await storage.database.write(BY_TEST, ({ orders }) => runSteps(hold(orders, from)));
    for (const asked of [{ petId: 1_100 }, { id: 1_100 }]) {
      const expiring = storage.database.write(BY_TEST, ({ orders }) =>
        chain(orders.expire(NOON + 2_000, asked), (expired) => {
          expect(expired.map(({ petId }) => petId)).toContain(1_100);
          throw new Error('It is rolled back.');
        }),
      );
      await expect(expiring).rejects.toThrow('It is rolled back.');
    }
    let reported = 0;
    await expireOrders({
      database: storage.database,
      clock: { now: () => NOON + 2_000 },
      observe: (observation) => {
        if (observation.kind === 'orders_expired') reported += observation.count;
      },
    });
    expect(reported).toBe(1_100);
    expect(await storage.database.read.pets.inventory()).toMatchObject({
      available: 1_100,
      pending: 0,
    });
  });
});
