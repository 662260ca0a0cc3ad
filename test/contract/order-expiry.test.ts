/** Holds: what an open order keeps from its animal, and when the hold ends by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readConfig, SETTINGS, type SettingName } from '../../src/config/config.ts';
import type { Order } from '../../src/orders/order.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { expireOrders } from '../../src/server/background-jobs.ts';
import { startService, type TestService } from '../support/service.ts';

const HOLD_MS = 7 * 60_000;

let service: TestService;
let writes = 0;
beforeAll(async () => {
  service = await startService({
    rules: { orderHoldMs: HOLD_MS },
    wrap: (database) => ({
      ...database,
      write(work) {
        writes += 1;
        return database.write(work);
      },
    }),
  });
});
afterAll(() => service.close());

const patch = (path: string, body: unknown) =>
  service.request('PATCH', `/v1${path}`, { body, headers: MERGE_PATCH });
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };
const place = (petId: unknown) => service.request('POST', '/v1/store/orders', { body: { petId } });
const advance = (id: unknown, status: string) => patch(`/store/orders/${id}`, { status });
const fetchOrder = (id: unknown) => service.request('GET', `/v1/store/orders/${id}`);
const orderOf = async (id: unknown) => (await fetchOrder(id)).json as Order;
const petOf = async (id: unknown) => (await service.request('GET', `/v1/pets/${id}`)).json as Pet;

/** What the service does every second. */
const keepHouse = () =>
  expireOrders({ ...service, observe: (observation) => service.observed.push(observation) });

/** An order for an animal of its own. */
async function heldAnimal(status: 'placed' | 'approved' = 'placed'): Promise<Order> {
  const { id } = await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' });
  const order = (await place(id)).json as Order;
  if (status === 'approved') await advance(order.id, 'approved');
  return order;
}

describe('a hold', () => {
  test('expires after ORDER_HOLD_MINUTES, 30 unless another is set', () => {
    const names = Object.keys(SETTINGS) as SettingName[];
    expect(readConfig(names, {}, {}).orderHoldMinutes).toBe(30);
    expect(readConfig(names, {}, { ORDER_HOLD_MINUTES: '7' }).orderHoldMinutes).toBe(7);
  });

  test('lasts until its time and not a millisecond longer: its order is expired, its animal available', async () => {
    const order = await heldAnimal();
    const { id, petId, expiresAt = '' } = order;
    expect(Date.parse(expiresAt)).toBe(service.clock.now() + HOLD_MS);
    service.clock.set(Date.parse(expiresAt) - 1);
    await keepHouse();
    expect(await orderOf(id)).toEqual(order);
    expect((await petOf(petId)).status).toBe('pending');
    service.clock.set(expiresAt);
    await keepHouse();
    expect(await orderOf(id)).toEqual({ ...order, status: 'expired' });
    expect((await petOf(petId)).status).toBe('available');
  });

  test('that was approved does not expire', async () => {
    const { id, petId } = await heldAnimal('approved');
    service.clock.advance(1_000 * HOLD_MS);
    await keepHouse();
    expect(await orderOf(id)).toMatchObject({ status: 'approved' });
    expect(await orderOf(id)).not.toHaveProperty('expiresAt');
    expect((await petOf(petId)).status).toBe('pending');
    expect((await advance(id, 'delivered')).status).toBe(200);
  });

  test('that was cancelled does not expire: its animal stays what it became since', async () => {
    const { id, petId } = await heldAnimal();
    await advance(id, 'cancelled');
    await patch(`/pets/${petId}`, { status: 'sold' });
    service.clock.advance(HOLD_MS);
    await keepHouse();
    expect((await orderOf(id)).status).toBe('cancelled');
    expect((await petOf(petId)).status).toBe('sold');
  });

  test('expires with others of its time, which is told once, and while none is due nothing is written', async () => {
    await keepHouse();
    service.observed.length = 0;
    for (let count = 0; count < 3; count += 1) await heldAnimal();
    service.clock.advance(HOLD_MS);
    await keepHouse();
    const before = writes;
    await keepHouse();
    expect(writes).toBe(before);
    expect(service.observed.filter(({ kind }) => kind === 'orders_expired')).toEqual([
      { kind: 'orders_expired', count: 3 },
    ]);
  });
});

describe('a hold whose time is up, before anything looked after it,', () => {
  async function overdue(): Promise<Order> {
    const order = await heldAnimal();
    service.clock.advance(HOLD_MS);
    return order;
  }

  test('does not stand in the way of a new order', async () => {
    const { id, petId } = await overdue();
    expect((await place(petId)).status).toBe(201);
    expect((await orderOf(id)).status).toBe('expired');
    expect((await petOf(petId)).status).toBe('pending');
  });

  test.each(['placed', 'approved', 'delivered', 'cancelled'])(
    'cannot become %s any more: 409 invalid_transition, and its animal is available',
    async (status) => {
      const { id, petId } = await overdue();
      const { json } = await advance(id, status);
      expect(json).toMatchObject({ code: 'invalid_transition', status: 409 });
      expect((await orderOf(id)).status).toBe('expired');
      expect((await petOf(petId)).status).toBe('available');
    },
  );

  test('does not keep its animal from another status', async () => {
    const { id, petId } = await overdue();
    expect((await patch(`/pets/${petId}`, { status: 'sold' })).status).toBe(200);
    await keepHouse();
    expect((await petOf(petId)).status).toBe('sold');
    expect((await orderOf(id)).status).toBe('expired');
  });

  test('does not keep its animal from being deleted', async () => {
    const { id, petId } = await overdue();
    expect((await service.request('DELETE', `/v1/pets/${petId}`)).status).toBe(204);
    await keepHouse();
    expect((await orderOf(id)).status).toBe('expired');
  });
});

describe.each(['placed', 'approved'] as const)('an animal that a(n) %s order holds', (status) => {
  test.each(['available', 'sold', null])(
    'cannot become %p: 409 pet_reserved',
    async (newStatus) => {
      const { petId } = await heldAnimal(status);
      const { json } = await patch(`/pets/${petId}`, { status: newStatus, name: 'Max' });
      expect(json).toMatchObject({ code: 'pet_reserved', status: 409 });
      expect(await petOf(petId)).toMatchObject({ name: 'Rex', status: 'pending' });
    },
  );

  test('can change its other fields, also beside the status that it has', async () => {
    const { petId } = await heldAnimal(status);
    expect((await patch(`/pets/${petId}`, { name: 'Max' })).status).toBe(200);
    expect((await patch(`/pets/${petId}`, { categoryId: 7, status: 'pending' })).status).toBe(200);
    expect(await petOf(petId)).toMatchObject({ name: 'Max', categoryId: 7, status: 'pending' });
  });

  test('cannot be deleted: 409 pet_reserved, until its order is over', async () => {
    const { id, petId } = await heldAnimal(status);
    const remove = () => service.request('DELETE', `/v1/pets/${petId}`);
    expect((await remove()).json).toMatchObject({ code: 'pet_reserved', status: 409 });
    await advance(id, 'cancelled');
    expect((await remove()).status).toBe(204);
    expect((await fetchOrder(id)).json).toMatchObject({ petId, status: 'cancelled' });
  });
});
