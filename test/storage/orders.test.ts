import { expect, test } from 'bun:test';
import { chain } from '../../src/maybe-promise.ts';
import type { OrderStore } from '../../src/orders/order-store.ts';
import { expireOrders } from '../../src/server/background-jobs.ts';
import { runSteps, type Steps, wait } from '../../src/steps.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { rex } from './animals.ts';
import { storageOpener } from './copying.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');
const TIMES = {
  createdAt: new Date(NOON).toISOString(),
  expiresAt: new Date(NOON + 1_000).toISOString(),
};

const open = storageOpener();

test.each(ENGINES)('in $name, an order reserves its animal alone', async (engine) => {
  const { write } = (await open(engine)).database;
  // Those that are equal as rounded numbers are next to each other.
  for (const petId of INT64_EDGES.map(int64)) {
    const isReserved = () => write(BY_TEST, ({ orders }) => orders.isReserved(petId));
    expect([petId, await isReserved()]).toEqual([petId, false]);
    await write(BY_TEST, ({ orders }) => orders.create({ petId, status: 'placed', ...TIMES }));
    expect(await isReserved()).toBe(true);
  }
});

function* hold(orders: OrderStore, from: number): Steps<void> {
  for (let petId = from; petId < from + 100; petId += 1)
    yield* wait(orders.create({ petId, status: 'placed', ...TIMES }));
}

test.each(ENGINES)(
  'in $name, 1,100 due orders expire, the one asked for first, and each is reported once',
  async (engine) => {
    const { database } = await open(engine);
    await importPets(database, Array(1_100).fill(rex({ status: 'pending' })));
    for (let from = 1; from < 1_100; from += 100)
      await database.write(BY_TEST, ({ orders }) => runSteps(hold(orders, from)));
    for (const asked of [{ petId: 1_100 }, { id: 1_100 }]) {
      const expiring = database.write(BY_TEST, ({ orders }) =>
        chain(orders.expire(NOON + 2_000, asked), (expired) => {
          expect(expired.map(({ petId }) => petId)).toContain(1_100);
          throw new Error('It is rolled back.');
        }),
      );
      await expect(expiring).rejects.toThrow('It is rolled back.');
    }
    let reported = 0;
    await expireOrders({
      database,
      clock: { now: () => NOON + 2_000 },
      observe: (observation) => {
        if (observation.kind === 'orders_expired') reported += observation.count;
      },
    });
    expect(reported).toBe(1_100);
    const inventory = await database.read.pets.inventory();
    expect(inventory).toMatchObject({ available: 1_100, pending: 0 });
  },
);
