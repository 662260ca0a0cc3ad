/** placeOrder: POST /store/orders, and getOrder: GET /store/orders/{orderId}. */
import { describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { importPets } from '../../support/catalogue.ts';
import { startService, useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

const HOLD_MS = 30 * 60_000;
const NOT_AVAILABLE = { code: 'pet_not_available', status: 409 };

describe('placeOrder', () => {
  test('returns 201 with Location and the order, and getOrder returns the same', async () => {
    const pet = await orders.addPet();
    const { status, headers, json, text, etag } = await orders.place(pet.id);
    const { id } = json as Order;
    const now = service.clock.now();
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`https://store.test/v1/store/orders/${id}`);
    expect(json).toEqual({
      id,
      petId: pet.id,
      status: 'placed',
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + HOLD_MS).toISOString(),
    });
    const stored = await orders.get(id);
    expect(stored.text).toBe(text);
    expect(stored.headers.get('etag')).toBe(etag);
  });

  test.each([
    { status: 'placed', pet: 'pending' },
    { status: 'approved', pet: 'pending' },
    { status: 'delivered', pet: 'sold' },
  ] as const)(
    'with the status $status makes the animal $pet, in one request',
    async ({ status, pet: petStatus }) => {
      const pet = await orders.addPet();
      const placed = await orders.place(pet.id, { status, reference: 'R-1', note: 'a\nb' });
      const createdAt = new Date(service.clock.now()).toISOString();
      expect(placed.status).toBe(201);
      const { id } = placed.json as Order;
      const expiresAt = new Date(service.clock.now() + HOLD_MS).toISOString();
      const hold = status === 'placed' ? { expiresAt } : {};
      const end = status === 'delivered' ? { deliveredAt: createdAt, endedAt: createdAt } : {};
      const texts = { reference: 'R-1', note: 'a\nb' };
      const order = { id, petId: pet.id, status, createdAt, ...hold, ...end, ...texts };
      expect(placed.json).toEqual(order);
      expect((await orders.get(id)).text).toBe(placed.text);
      expect(await orders.pet(pet.id)).toEqual({ ...pet, status: petStatus });
    },
  );

  test.each(['cancelled', 'expired', 'returned', 'shipped', null, 1])(
    'returns 400 for the first status %p, and does not touch the animal',
    async (status) => {
      const pet = await orders.addPet();
      const { json } = await orders.place(pet.id, { status });
      const message = 'status: must be one of placed, approved, delivered';
      expect(json).toEqual({ code: 'validation_failed', message, status: 400 });
      expect(await orders.pet(pet.id)).toEqual(pet);
    },
  );

  test('of an animal that a sale over the counter sold is 409, until the sale is returned', async () => {
    const { id } = await orders.addPet();
    const { json } = await orders.place(id, { status: 'delivered' });
    expect((await orders.place(id, { status: 'delivered' })).json).toMatchObject(NOT_AVAILABLE);
    await orders.setStatus((json as Order).id, 'returned');
    expect((await orders.place(id, { status: 'delivered' })).status).toBe(201);
  });

  test.each(['pending', 'sold', null] as const)(
    'returns 409 for an animal with the status %p, and creates no order',
    async (status) => {
      const pet = await orders.addPet(status);
      const message = `The animal is not available: its status is ${status ?? 'not set'}.`;
      expect((await orders.place(pet.id)).json).toEqual({ ...NOT_AVAILABLE, message });
      expect(await orders.pet(pet.id)).toEqual(pet);
      expect(await orders.list(`?petId=${pet.id}`)).toEqual([]);
    },
  );

  test('returns 400 for an unknown animal: 404 is for the URL', async () => {
    expect((await orders.place(88_888_888)).json).toEqual({
      code: 'validation_failed',
      message: 'petId: is not the identifier of an animal',
      status: 400,
    });
  });

  test('keeps an id beyond 2^53 exact', async () => {
    await using large = await startService();
    const pet = { id: 2n ** 53n + 1n, name: 'Rex', categoryId: 1, status: 'available' } as const;
    await importPets(large.database, [pet]);
    const placed = await large.request('POST', '/v1/store/orders', {
      body: '{"petId":9007199254740993}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(placed.json).toMatchObject({ petId: 2n ** 53n + 1n, status: 'placed' });
    expect((await large.request('GET', '/v1/store/orders/1')).text).toBe(placed.text);
    const list = await large.request('GET', '/v1/store/orders?petId=9007199254740993');
    expect(list.text).toBe(`[${placed.text}]`);
  });

  test.each([undefined, null, 'abc', '1', 1.5])('returns 400 for the petId %p', async (petId) => {
    const { json } = await orders.place(petId);
    expect(json).toMatchObject({ code: 'validation_failed', status: 400 });
  });
});
