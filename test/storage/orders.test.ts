import { describe, expect, test } from 'bun:test';
import type { Int64 } from '../../src/int64.ts';
import { chain } from '../../src/maybe-promise.ts';
import type { Order } from '../../src/orders/order.ts';
import type { OrderFilters } from '../../src/orders/order-filters.ts';
import type { OrderStatus } from '../../src/orders/order-states.ts';
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
const STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired', 'returned'] as const;
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
  const replace = (order: Order) =>
    storage.database.write(BY_TEST, ({ orders }) => orders.replace(order));
  const isReserved = (petId: Int64) =>
    storage.database.write(BY_TEST, ({ orders }) => orders.isReserved(petId));
  const expire = async (ms: number) =>
    (await storage.database.write(BY_TEST, ({ orders }) => orders.expire(NOON + ms))).length;
  const isExpiryDue = async (ms: number) => storage.database.read.orders.isExpiryDue(NOON + ms);
  const get = async (id: Int64) => storage.database.read.orders.get(id);
  const list = async (filters: OrderFilters = {}, afterId?: Int64, count = 100) =>
    storage.database.read.orders.list(ascending(filters), afterId, count);

  describe('stores orders:', () => {
    test('one created with each status is read back equal', async () => {
      for (const [index, status] of STATUSES.entries()) {
        const petId = 2 * index;
        const { expiresAt: _none, ...order } = newOrder(petId, { status, createdAt: at(123) });
        for (const fields of [order, { ...order, petId: petId + 1, expiresAt: at(456) }]) {
          const created = await create(fields);
          expect(created).toStrictEqual({ id: created.id, ...fields });
          expect(await get(created.id)).toStrictEqual(created);
          expect(await list({ petId: fields.petId })).toStrictEqual([created]);
        }
      }
    });

    test('a replaced one is read back equal, also after reopening', async () => {
      const { expiresAt: _ended, ...order } = await create(newOrder(1));
      const other = await create(newOrder(2));
      await replace({ ...order, status: 'approved' });
      expect(await get(order.id)).toStrictEqual({ ...order, status: 'approved' });
      await storage.reopen();
      expect(await list()).toStrictEqual([{ ...order, status: 'approved' }, other]);
    });

    test('the ids of their animals are exact', async () => {
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

    test('ids ascend and are never assigned again, also after reopening', async () => {
      const first = await create(newOrder(1));
      const second = await create(newOrder(2));
      await storage.reopen();
      const third = await create(newOrder(3));
      expect(first.id < second.id && second.id < third.id).toBe(true);
      for (const id of [0, -1, Number(third.id) + 1, 2n ** 63n - 1n])
        expect(await get(id)).toBeUndefined();
    });
  });

  describe('never sells an animal twice:', () => {
    test('a second order for an animal is refused if both are open', async () => {
      const pairs = STATUSES.flatMap((one) => STATUSES.map((other) => [one, other] as const));
      for (const [petId, [one, other]] of pairs.entries()) {
        const first = await create(newOrder(petId, { status: one }));
        const second = await create(newOrder(petId, { status: other })).catch(() => undefined);
        const areOpen = [one, other].map((status) => OPEN.includes(status));
        expect([one, other, second !== undefined]).toEqual([one, other, areOpen.includes(false)]);
        expect(await list({ petId })).toStrictEqual(
          second === undefined ? [first] : [first, second],
        );
        expect(await isReserved(petId)).toBe(areOpen.includes(true));
      }
    });

    test('a closed order cannot be reopened while another one is open', async () => {
      const over = await create(newOrder(1, { status: 'cancelled' }));
      const current = await create(newOrder(1));
      await expect(replace({ ...over, status: 'approved' })).rejects.toThrow();
      expect(await list()).toStrictEqual([over, current]);
    });

    test('one of 50 simultaneous orders succeeds', async () => {
      const tries = Array.from({ length: 50 }, () => create(newOrder(1)));
      const settled = await Promise.allSettled(tries);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await list()).toHaveLength(1);
    });
  });

  describe('expires placed orders', () => {
    const addHeld = (fields?: Partial<Order>) =>
      storage.database.write(BY_TEST, ({ pets, orders }) =>
        chain(pets.create(rex({ status: 'pending' })), ({ id }) =>
          orders.create(newOrder(id, fields)),
        ),
      );
    const petStatus = async ({ petId }: Order) =>
      (await storage.database.read.pets.get(petId))?.status;

    test('at their time and not before, and makes the animal available', async () => {
      const early = await addHeld();
      const late = await addHeld({ expiresAt: at(1_001) });
      expect([await isExpiryDue(999), await expire(999)]).toEqual([false, 0]);
      expect([await isExpiryDue(1_000), await expire(1_000)]).toEqual([true, 1]);
      const expired = { ...early, status: 'expired' as const, endedAt: at(1_000) };
      expect(await list()).toStrictEqual([expired, late]);
      expect([await petStatus(early), await petStatus(late)]).toEqual(['available', 'pending']);
      expect([await isExpiryDue(1_000), await expire(1_000)]).toEqual([false, 0]);
      expect([await isExpiryDue(9_999), await expire(9_999)]).toEqual([true, 1]);
      expect(await petStatus(late)).toBe('available');
    });

    test.each(['approved', 'delivered', 'cancelled'] as const)(
      'but not %s ones',
      async (status) => {
        const order = await addHeld({ status });
        expect([await isExpiryDue(9_999), await expire(9_999)]).toEqual([false, 0]);
        expect(await get(order.id)).toStrictEqual(order);
        expect(await petStatus(order)).toBe('pending');
      },
    );
  });

  test('expires 1,500 due orders, the one asked for first, and reports each once', async () => {
    await importPets(storage.database, Array(1_500).fill(rex({ status: 'pending' })));
    function* hold(orders: OrderStore, from: number): Steps<void> {
      for (let petId = from; petId < from + 250; petId += 1)
        yield* wait(orders.create(newOrder(petId)));
    }
    for (let from = 1; from < 1_500; from += 250)
      await storage.database.write(BY_TEST, ({ orders }) => runSteps(hold(orders, from)));
    for (const asked of [{ petId: 1_500 }, { id: 1_500 }]) {
      const expiring = storage.database.write(BY_TEST, ({ orders }) =>
        chain(orders.expire(NOON + 2_000, asked), (expired) => {
          expect(expired.map(({ petId }) => petId)).toContain(1_500);
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
    expect(reported).toBe(1_500);
    expect(await storage.database.read.pets.inventory()).toMatchObject({
      available: 1_500,
      pending: 0,
    });
  });
});
