/** Two instances sell and take back one animal at the same time. It is never sold twice. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { startService, type TestService } from '../../support/service.ts';
import { rex } from '../animals.ts';
import { engineOf, useScratch } from './scratch.ts';

let instances: readonly [TestService, TestService];
afterEach(async () => {
  for (const instance of instances) await instance.close();
});
const scratch = useScratch();
beforeEach(async () => {
  const engine = engineOf(() => scratch.open());
  instances = [await startService({ engine }), await startService({ engine })];
});

const sell = (service: TestService, petId: unknown) =>
  service.request('POST', '/v1/store/orders', { body: { petId, status: 'delivered' } });
const giveBack = (service: TestService, id: unknown) =>
  service.request('PATCH', `/v1/store/orders/${id}`, { body: { status: 'returned' } });
const addSold = async () => {
  const pet = await instances[0].addPet(rex({ status: 'available' }));
  return (await sell(instances[0], pet.id)).json as Order;
};
const ordersOf = async (petId: unknown) => {
  const { json } = await instances[0].request('GET', `/v1/store/orders?petId=${petId}`);
  return (json as Order[]).map(({ status }) => status);
};
const petStatus = async (petId: unknown) =>
  ((await instances[0].request('GET', `/v1/pets/${petId}`)).json as { status: string }).status;

/** Starts the works one after another while the row is locked, so that all wait for it in this sequence. */
async function whileLocked<T>(row: string, works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const release = await scratch.hold(`SELECT FROM animal_store.${row} FOR UPDATE`);
  const running: Promise<T>[] = [];
  for (const work of works) {
    running.push(work());
    await until(async () => (await scratch.backends('Lock')).length === running.length);
  }
  await release();
  return Promise.all(running);
}

test('a sale that waits for a return finds the animal available', async () => {
  const { id, petId } = await addSold();
  const [back, sold] = await whileLocked(`pets WHERE id = ${petId}`, [
    () => giveBack(instances[0], id),
    () => sell(instances[1], petId),
  ]);
  expect([back?.status, sold?.status]).toEqual([200, 201]);
  expect(await petStatus(petId)).toBe('sold');
});

test('a return that waits for a sale of the animal that staff made available leaves it sold', async () => {
  const { id, petId } = await addSold();
  await instances[0].request('PATCH', `/v1/pets/${petId}`, { body: { status: 'available' } });
  const [sold, back] = await whileLocked(`pets WHERE id = ${petId}`, [
    () => sell(instances[1], petId),
    () => giveBack(instances[0], id),
  ]);
  expect([sold?.status, back?.status]).toEqual([201, 200]);
  expect(await ordersOf(petId)).toEqual(['returned', 'delivered']);
  expect(await petStatus(petId)).toBe('sold');
});

test('two returns of one order make the animal available once: it is not taken from its next buyer', async () => {
  const { id, petId } = await addSold();
  const [first, second] = await whileLocked(`orders WHERE id = ${id}`, [
    () => giveBack(instances[0], id),
    () => giveBack(instances[1], id),
  ]);
  expect([first?.status, second?.status]).toEqual([200, 200]);
  expect((await sell(instances[1], petId)).status).toBe(201);
  expect((await giveBack(instances[0], id)).status).toBe(200);
  expect(await petStatus(petId)).toBe('sold');
});

test('two instances delete each old order once', async () => {
  const createdAt = '2027-01-01T00:00:00.000Z';
  await instances[0].database.write(BY_TEST, async ({ orders }) => {
    for (let petId = 1; petId <= 100; petId += 1)
      await orders.create({
        petId,
        status: 'cancelled',
        createdAt,
        endedAt: new Date(petId).toISOString(),
      });
  });
  const deleting = instances.map(async ({ database }) => {
    let deleted = 0;
    for (let count = -1; count !== 0; deleted += count)
      count = (await database.write(BY_TEST, ({ orders }) => orders.deleteEndedBefore(1_000, 7)))
        .length;
    return deleted;
  });
  const [one = 0, other = 0] = await Promise.all(deleting);
  expect(one + other).toBe(100);
});
