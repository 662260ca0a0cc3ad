/** An order that is placed holds its animal until it expires. */
import { describe, expect, spyOn, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { expireOrders } from '../../../src/server/background-jobs.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const HOLD_MS = 7 * 60_000;

const service = useService({ options: { orderHoldMs: HOLD_MS } });
const orders = orderRequests(service);

const get = async (id: unknown) => (await orders.get(id)).json as Order;
const statusOfPet = async (id: unknown) => (await orders.pet(id)).status;
const setPetStatus = (id: unknown, status: string) =>
  service.request('PATCH', `/v1/pets/${id}`, { body: { status } });

/** The background job of the service. */
const expire = () =>
  expireOrders({ ...service, observe: (observation) => service.observed.push(observation) });

describe('an order that is placed', () => {
  test('expires in the millisecond of expiresAt, and its animal becomes available', async () => {
    const order = await orders.addOrder();
    const { id, petId, expiresAt = '' } = order;
    expect(Date.parse(expiresAt)).toBe(service.clock.now() + HOLD_MS);
    service.clock.set(Date.parse(expiresAt) - 1);
    await expire();
    expect(await get(id)).toEqual(order);
    expect(await statusOfPet(petId)).toBe('pending');
    service.clock.set(expiresAt);
    await expire();
    const endedAt = new Date(expiresAt).toISOString();
    expect(await get(id)).toEqual({ ...order, status: 'expired', endedAt });
    expect(await statusOfPet(petId)).toBe('available');
  });

  test('does not expire after it is approved', async () => {
    const { id, petId } = await orders.addOrder('approved');
    service.clock.advance(1_000 * HOLD_MS);
    await expire();
    expect(await get(id)).toMatchObject({ status: 'approved' });
    expect(await get(id)).not.toHaveProperty('expiresAt');
    expect(await statusOfPet(petId)).toBe('pending');
    expect((await orders.setStatus(id, 'delivered')).status).toBe(200);
  });

  test('does not expire after it is cancelled, and the status of its animal stays', async () => {
    const { id, petId } = await orders.addOrder();
    await orders.setStatus(id, 'cancelled');
    await setPetStatus(petId, 'sold');
    service.clock.advance(HOLD_MS);
    await expire();
    expect((await get(id)).status).toBe('cancelled');
    expect(await statusOfPet(petId)).toBe('sold');
  });

  test('expires together with others in one observation, and nothing is written if none is due', async () => {
    await expire();
    service.observed.length = 0;
    for (let count = 0; count < 3; count += 1) await orders.addOrder();
    service.clock.advance(HOLD_MS);
    await expire();
    using write = spyOn(service.database, 'write');
    await expire();
    expect(write).not.toHaveBeenCalled();
    expect(service.observed.filter(({ kind }) => kind === 'orders_expired')).toEqual([
      { kind: 'orders_expired', count: 3 },
    ]);
  });
});

describe('an order that is due, before the background job runs,', () => {
  /** @param early is done a millisecond before the order is due. */
  async function addDueOrder(early = async (_order: Order) => {}): Promise<Order> {
    const order = await orders.addOrder();
    service.clock.advance(HOLD_MS - 1);
    await early(order);
    service.clock.advance(1);
    return order;
  }

  test('does not prevent a new order, which an order that is not due does', async () => {
    const { id, petId } = await addDueOrder(async (order) => {
      expect((await orders.place(order.petId)).code).toBe('pet_not_available');
    });
    expect((await orders.place(petId)).status).toBe(201);
    expect((await get(id)).status).toBe('expired');
    expect(await statusOfPet(petId)).toBe('pending');
  });

  test.each(['placed', 'approved', 'delivered', 'cancelled'])(
    'cannot become %s: 409 invalid_transition, and its animal is available',
    async (status) => {
      const { id, petId } = await addDueOrder();
      const { json } = await orders.setStatus(id, status);
      expect(json).toMatchObject({ code: 'invalid_transition', status: 409 });
      expect((await get(id)).status).toBe('expired');
      expect(await statusOfPet(petId)).toBe('available');
    },
  );

  test('does not prevent another status of its animal', async () => {
    const { id, petId } = await addDueOrder();
    expect((await setPetStatus(petId, 'sold')).status).toBe(200);
    await expire();
    expect(await statusOfPet(petId)).toBe('sold');
    expect((await get(id)).status).toBe('expired');
  });

  test('does not keep its animal pending: the response to a new name shows it available', async () => {
    const { id, petId } = await addDueOrder();
    const renamed = await service.request('PATCH', `/v1/pets/${petId}`, { body: { name: 'Max' } });
    expect(renamed.json).toMatchObject({ name: 'Max', status: 'available' });
    expect(await statusOfPet(petId)).toBe('available');
    expect((await get(id)).status).toBe('expired');
  });

  test('does not prevent the deletion of its animal, which an order that is not due does', async () => {
    const remove = (petId: unknown) => service.request('DELETE', `/v1/pets/${petId}`);
    const { id, petId } = await addDueOrder(async (order) => {
      expect((await remove(order.petId)).code).toBe('pet_reserved');
    });
    expect((await remove(petId)).status).toBe(204);
    await expire();
    expect((await get(id)).status).toBe('expired');
  });
});
