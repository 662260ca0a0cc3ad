/** Store orders: one animal has one open order at most, and what becomes of the order becomes of the animal. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Order, OrderStatus } from '../../src/orders/order.ts';
import type { Pet, PetStatus } from '../../src/pets/pet.ts';
import { expireOrders } from '../../src/server/background-jobs.ts';
import { importPets } from '../support/catalogue.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const HOLD_MS = 30 * 60_000;
const STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;

const addPet = (status: PetStatus | null = 'available') =>
  service.addPet({ name: 'Rex', categoryId: 1, ...(status && { status }) });
const place = (petId: unknown) => service.request('POST', '/v1/store/orders', { body: { petId } });
const fetchOrder = (id: unknown) => service.request('GET', `/v1/store/orders/${id}`);
const patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.request('PATCH', `/v1${path}`, { body, headers });
const advance = (id: unknown, status: unknown) => patch(`/store/orders/${id}`, { status });
const petOf = async (id: unknown) => (await service.request('GET', `/v1/pets/${id}`)).json as Pet;
const ordersFor = async (petId: unknown) =>
  (await service.request('GET', `/v1/store/orders?petId=${petId}`)).json as Order[];

/** An order for an animal of its own, brought to a status. */
async function orderThatIs(status: OrderStatus): Promise<Order> {
  const { id } = (await place((await addPet()).id)).json as Order;
  if (status === 'approved' || status === 'delivered') await advance(id, 'approved');
  if (status === 'delivered' || status === 'cancelled') await advance(id, status);
  if (status === 'expired') {
    service.clock.advance(HOLD_MS);
    await expireOrders({ ...service, observe: () => {} });
  }
  const order = (await fetchOrder(id)).json as Order;
  expect(order.status).toBe(status);
  return order;
}

describe('an order that is placed', () => {
  test('is answered 201 with its address and all of its fields, as GET then shows them', async () => {
    const pet = await addPet();
    const { status, headers, json, text } = await place(pet.id);
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
    const fetched = await fetchOrder(id);
    expect(fetched.text).toBe(text);
    expect(fetched.headers.get('etag')).toBe(headers.get('etag'));
  });

  test('makes its animal pending, and changes nothing else of it', async () => {
    const pet = await addPet();
    await place(pet.id);
    expect(await petOf(pet.id)).toEqual({ ...pet, status: 'pending' });
  });

  test.each(['pending', 'sold', null] as const)(
    'for an animal whose status is %p is 409 pet_not_available, and none is made',
    async (status) => {
      const pet = await addPet(status);
      expect((await place(pet.id)).json).toMatchObject({ code: 'pet_not_available', status: 409 });
      expect(await petOf(pet.id)).toEqual(pet);
      expect(await ordersFor(pet.id)).toEqual([]);
    },
  );

  test('for an animal that is held already is 409 pet_not_available', async () => {
    const { id } = await addPet();
    expect((await place(id)).status).toBe(201);
    expect((await place(id)).json).toMatchObject({ code: 'pet_not_available', status: 409 });
    expect(await ordersFor(id)).toHaveLength(1);
  });

  test('for an animal that does not exist is 400 validation_failed: 404 is for the URL', async () => {
    expect((await place(88_888_888)).json).toEqual({
      code: 'validation_failed',
      message: 'petId: is not the identifier of an animal.',
      status: 400,
    });
  });

  test('for an animal whose id is beyond 2^53 is exact from request to answer', async () => {
    const large = await startService();
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
    await large.close();
  });

  test.each([undefined, null, 'abc', '1', 1.5])('for petId %p is 400', async (petId) => {
    expect((await place(petId)).json).toMatchObject({ code: 'validation_failed', status: 400 });
  });
});

/** What may follow what, and what the animal then is. */
const MOVES: Record<OrderStatus, Partial<Record<OrderStatus, PetStatus>>> = {
  placed: { approved: 'pending', cancelled: 'available' },
  approved: { delivered: 'sold', cancelled: 'available' },
  delivered: {},
  cancelled: {},
  expired: {},
};

describe('placed → approved → delivered, placed or approved → cancelled, to itself, and nothing else', () => {
  const pairs = STATUSES.flatMap((from) =>
    STATUSES.map((to) => ({ from, to, pet: MOVES[from][to] })),
  );

  test.each(pairs.filter(({ pet }) => pet !== undefined))(
    '$from → $to makes the animal $pet',
    async ({ from, to, pet }) => {
      const order = await orderThatIs(from);
      const { status, json, text } = await advance(order.id, to);
      const { expiresAt: _ended, ...kept } = order;
      expect(status).toBe(200);
      expect(json).toEqual({ ...kept, status: to });
      expect((await fetchOrder(order.id)).text).toBe(text);
      expect((await petOf(order.petId)).status).toBe(pet);
    },
  );

  test.each(STATUSES)(
    '%s → the same is 200 and changes nothing, and so is an empty patch',
    async (status) => {
      const order = await orderThatIs(status);
      const [pet, fetched] = [await petOf(order.petId), await fetchOrder(order.id)];
      for (const body of [{ status }, {}]) {
        const answer = await patch(`/store/orders/${order.id}`, body);
        expect(answer.status).toBe(200);
        expect(answer.text).toBe(fetched.text);
        expect(answer.headers.get('etag')).toBe(fetched.headers.get('etag'));
      }
      expect((await fetchOrder(order.id)).text).toBe(fetched.text);
      expect(await petOf(order.petId)).toEqual(pet);
    },
  );

  test('the same request sent again has the same answer', async () => {
    const { id } = await orderThatIs('placed');
    const first = await advance(id, 'approved');
    const second = await advance(id, 'approved');
    expect([second.status, second.text]).toEqual([first.status, first.text]);
  });

  test.each(pairs.filter(({ from, to, pet }) => pet === undefined && from !== to))(
    '$from → $to is 409 invalid_transition, and changes nothing',
    async ({ from, to }) => {
      const order = await orderThatIs(from);
      const pet = await petOf(order.petId);
      const { json } = await advance(order.id, to);
      expect(json).toMatchObject({ code: 'invalid_transition', status: 409 });
      expect((await fetchOrder(order.id)).json).toEqual(order);
      expect(await petOf(order.petId)).toEqual(pet);
    },
  );

  test.each(['cancelled', 'expired'] as const)(
    'an animal whose order was %s can be ordered again',
    async (status) => {
      const { petId } = await orderThatIs(status);
      expect((await place(petId)).status).toBe(201);
    },
  );

  test.each([{ status: null }, { status: 'shipped' }, { status: ['approved'] }])(
    'the patch %j is 400 validation_failed',
    async (body) => {
      const { id } = await orderThatIs('placed');
      expect((await patch(`/store/orders/${id}`, body)).json).toMatchObject({
        code: 'validation_failed',
      });
    },
  );
});

describe('PATCH of an order', () => {
  test.each([
    'application/merge-patch+json',
    'Application/Merge-Patch+JSON; charset=utf-8',
    'application/json',
  ])('as %s is a merge patch', async (type) => {
    const { id } = await orderThatIs('placed');
    const headers = { 'Content-Type': type };
    const answer = await patch(`/store/orders/${id}`, { status: 'approved' }, headers);
    expect(answer.json).toMatchObject({ id, status: 'approved' });
  });

  test.each(['application/json-patch+json', 'text/plain', 'application/merge-patch'])(
    'as %s is 415 with Accept-Patch',
    async (type) => {
      const { id } = await orderThatIs('placed');
      const headers = { 'Content-Type': type };
      const answer = await patch(`/store/orders/${id}`, { status: 'approved' }, headers);
      expect(answer.json).toMatchObject({ code: 'unsupported_media_type', status: 415 });
      expect(answer.headers.get('accept-patch')).toStartWith('application/merge-patch+json');
    },
  );

  test('with an If-Match that is no longer true is 412, with one that is true succeeds', async () => {
    const { id } = await orderThatIs('placed');
    const tag = (await fetchOrder(id)).headers.get('etag') ?? '';
    const path = `/store/orders/${id}`;
    expect((await patch(path, { status: 'approved' }, { 'If-Match': tag })).status).toBe(200);
    const stale = await patch(path, { status: 'delivered' }, { 'If-Match': tag });
    expect(stale.json).toMatchObject({ code: 'precondition_failed', status: 412 });
    expect((await fetchOrder(id)).json).toMatchObject({ status: 'approved' });
    const unchanged = await patch(path, { status: 'approved' }, { 'If-Match': tag });
    expect(unchanged.json).toMatchObject({ code: 'precondition_failed', status: 412 });
  });

  test.each(['99999999', 'abc', '01', '1.0', '9223372036854775808'])(
    'or GET of /store/orders/%s is 404 order_not_found',
    async (id) => {
      const refusal = { code: 'order_not_found', status: 404 };
      expect((await fetchOrder(id)).json).toMatchObject(refusal);
      expect((await advance(id, 'approved')).json).toMatchObject(refusal);
    },
  );
});
