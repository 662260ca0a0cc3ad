/** When an order ended, and the deletion of orders that ended long ago. */
import { describe, expect, spyOn, test } from 'bun:test';
import type { Int64 } from '../../src/int64.ts';
import type { Order } from '../../src/orders/order.ts';
import { OPEN_STATUSES, ORDER_STATUSES } from '../../src/orders/order-states.ts';
import { deleteEndedOrders } from '../../src/server/background-jobs.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { EVERY } from '../support/list-query.ts';
import { useEach } from '../support/use-each.ts';
import { rex } from './animals.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');
const DAY_MS = 86_400_000;
const createdAt = new Date(NOON).toISOString();
const endAt = (time: number | undefined) =>
  time === undefined ? {} : { endedAt: new Date(time).toISOString() };

describe.each(ENGINES)('$name', ({ name, open }) => {
  const storage = useEach(open);

  const create = (petId: Int64, status: Order['status'], endedAt?: number) =>
    storage.database.write(BY_TEST, ({ orders }) =>
      orders.create({ petId, status, createdAt, ...endAt(endedAt) }),
    );
  const replace = (order: Order, endedAt?: number) =>
    storage.database.write(BY_TEST, ({ orders }) =>
      orders.replace({ ...order, ...endAt(endedAt) }),
    );
  const hasEndedBefore = async (time: number) => storage.database.read.orders.hasEndedBefore(time);
  const remove = async (time: number, count = 100) => {
    const { write } = storage.database;
    return (await write(BY_TEST, ({ orders }) => orders.deleteEndedBefore(time, count))).length;
  };
  const ids = async () =>
    (await storage.database.read.orders.list(EVERY, undefined, 101)).map(({ id }) => id);
  /** When the only order ended, to the millisecond. */
  const expectEnd = async (time: number) =>
    expect([await hasEndedBefore(time), await hasEndedBefore(time + 1)]).toEqual([false, true]);

  describe('the end of an order', () => {
    test.each(ORDER_STATUSES)('is stored with its creation as %s', async (status) => {
      const isOpen = OPEN_STATUSES.includes(status);
      const end = isOpen ? undefined : NOON;
      const order = await create(1, status, end);
      expect(order).toStrictEqual({ id: order.id, petId: 1, status, createdAt, ...endAt(end) });
      expect(await storage.database.read.orders.get(order.id)).toStrictEqual(order);
      if (isOpen) expect(await hasEndedBefore(Number.MAX_SAFE_INTEGER)).toBe(false);
      else await expectEnd(NOON);
    });

    test('is the time at which it was expired, not that of its expiry', async () => {
      await importPets(storage.database, [rex({ status: 'pending' })]);
      await storage.database.write(BY_TEST, ({ orders }) =>
        orders.create({ petId: 1, status: 'placed', createdAt, expiresAt: createdAt }),
      );
      expect(await hasEndedBefore(Number.MAX_SAFE_INTEGER)).toBe(false);
      await storage.database.write(BY_TEST, ({ orders }) => orders.expire(NOON + 777));
      await expectEnd(NOON + 777);
    });
  });

  describe('a deletion', () => {
    test('deletes those that ended before a time, and no others', async () => {
      await create(1, 'delivered', NOON - 1);
      const kept = [await create(2, 'cancelled', NOON), await create(3, 'placed')];
      kept.push(await create(4, 'approved'), await create(5, 'returned', NOON + 1));
      expect(await remove(NOON)).toBe(1);
      expect(await remove(NOON)).toBe(0);
      expect(await ids()).toEqual(kept.map(({ id }) => id));
    });

    test('deletes at most some of them, those that ended first', async () => {
      for (const end of [5, 1, 4, 2, 3]) await create(end, 'cancelled', NOON + end);
      expect(await remove(NOON + 5, 2)).toBe(2);
      expect(await ids()).toEqual([1, 3, 5]);
      expect(await remove(NOON + 5, 2)).toBe(2);
      expect(await remove(NOON + 5, 2)).toBe(0);
      expect(await ids()).toEqual([1]);
    });

    test('keeps an order while an earlier one of the same animal is delivered: its return must find it', async () => {
      const earlier = await create(1, 'delivered', NOON + DAY_MS);
      // The clock was set back in between.
      const later = await create(1, 'delivered', NOON);
      await create(2, 'delivered', NOON);
      expect(await remove(NOON + 1)).toBe(1);
      expect(await ids()).toEqual([earlier.id, later.id]);
      await replace({ ...earlier, status: 'returned' }, NOON + DAY_MS);
      expect(await remove(NOON + 1)).toBe(1);
      expect(await ids()).toEqual([earlier.id]);
    });
  });

  // Its batches and pauses are no question of the engine.
  if (name !== 'SQLite') return;
  describe('the background job', () => {
    const observed: unknown[] = [];
    /** Deletes the orders that ended more than a day ago. @returns the number of transactions */
    async function run(orderRetentionMs = DAY_MS, mayGoOn = true): Promise<number> {
      observed.length = 0;
      const { database } = storage;
      using write = spyOn(database, 'write');
      const clock = { now: () => NOON };
      const observe = (observation: unknown) => observed.push(observation);
      await deleteEndedOrders({ database, clock, observe, orderRetentionMs }, async () => mayGoOn);
      for (const [, , options] of write.mock.calls)
        expect(options).toEqual({ onlyChanges: ['orders', 'events'] });
      return write.mock.calls.length;
    }

    test('deletes all in small batches with pauses, and reports their number once', async () => {
      for (let petId = 1; petId <= 201; petId += 1)
        await create(petId, 'cancelled', NOON - DAY_MS - petId);
      await create(999, 'delivered', NOON - DAY_MS);
      expect(await run()).toBe(3);
      expect(observed).toEqual([{ kind: 'orders_deleted', count: 201 }]);
      expect(await ids()).toEqual([202]);
    });

    test('writes and reports nothing if nothing is due, or if it is off', async () => {
      await create(1, 'delivered', NOON - DAY_MS);
      expect(await run()).toBe(0);
      expect(await run(Number.POSITIVE_INFINITY)).toBe(0);
      expect(observed).toEqual([]);
      expect(await ids()).toHaveLength(1);
    });

    test('ends if the service stops, and reports what it has deleted', async () => {
      for (let petId = 1; petId <= 101; petId += 1)
        await create(petId, 'cancelled', NOON - DAY_MS - petId);
      expect(await run(DAY_MS, false)).toBe(1);
      expect(observed).toEqual([{ kind: 'orders_deleted', count: 100 }]);
    });

    test('ends if all that are due must stay for now', async () => {
      await create(1, 'delivered', NOON);
      await create(1, 'delivered', NOON - DAY_MS - 1);
      expect(await run()).toBe(1);
      expect(observed).toEqual([]);
    });
  });
});
