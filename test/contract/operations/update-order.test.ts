/** updateOrder: PATCH /store/orders/{orderId}. */
import { describe, expect, test } from 'bun:test';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/orders/order-states.ts';
import type { PetStatus } from '../../../src/pets/pet.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

/** The allowed transitions of an order, with the status that the animal gets. */
const TRANSITIONS: Record<OrderStatus, Partial<Record<OrderStatus, PetStatus>>> = {
  placed: { approved: 'pending', delivered: 'sold', cancelled: 'available' },
  approved: { delivered: 'sold', cancelled: 'available' },
  delivered: { returned: 'available' },
  cancelled: {},
  expired: {},
  returned: {},
};

const NEXT: Record<OrderStatus, string> = {
  placed: 'it can become approved, delivered or cancelled.',
  approved: 'it can become delivered or cancelled.',
  delivered: 'it can become returned.',
  cancelled: 'this status is final.',
  expired: 'this status is final.',
  returned: 'this status is final.',
};

const pairs = ORDER_STATUSES.flatMap((from) =>
  ORDER_STATUSES.map((to) => ({ from, to, pet: TRANSITIONS[from][to] })),
);

describe('updateOrder', () => {
  test.each(pairs.filter(({ pet }) => pet !== undefined))(
    'from $from to $to makes the animal $pet',
    async ({ from, to, pet }) => {
      const order = await orders.addOrder(from);
      const note = 'For Ann.';
      const { status, json, text } = await orders.patch(order.id, { status: to, note });
      const { expiresAt: _ended, ...rest } = { ...order, note };
      expect(status).toBe(200);
      const now = new Date(service.clock.now()).toISOString();
      expect(json).toEqual({
        ...rest,
        status: to,
        ...(to === 'delivered' && { deliveredAt: now }),
        ...(to !== 'approved' && { endedAt: now }),
      });
      expect((await orders.get(order.id)).text).toBe(text);
      expect((await orders.pet(order.petId)).status).toBe(pet);
    },
  );

  test.each(ORDER_STATUSES)(
    'from %s to the same status, or with an empty patch, returns 200 and changes nothing',
    async (status) => {
      const order = await orders.addOrder(status);
      const [pet, stored] = [await orders.pet(order.petId), await orders.get(order.id)];
      for (const body of [{ status }, {}]) {
        const response = await orders.patch(order.id, body);
        expect(response.status).toBe(200);
        expect(response.text).toBe(stored.text);
        expect(response.headers.get('etag')).toBe(stored.headers.get('etag'));
      }
      expect((await orders.get(order.id)).text).toBe(stored.text);
      expect(await orders.pet(order.petId)).toEqual(pet);
    },
  );

  test('accepts the id of the path in the body, and refuses any other without a change', async () => {
    const { id } = await orders.addOrder();
    const other = await orders.patch(id, { id: Number(id) + 1, status: 'approved' });
    const message = 'id: cannot be changed';
    expect(other.json).toEqual({ code: 'read_only_field', message, status: 400 });
    expect((await orders.get(id)).json).toMatchObject({ status: 'placed' });
    expect((await orders.patch(id, { id, status: 'approved' })).json).toMatchObject({ id });
  });

  test.each(pairs.filter(({ from, to, pet }) => pet === undefined && from !== to))(
    'from $from to $to returns 409 with the allowed statuses, and changes nothing',
    async ({ from, to }) => {
      const order = await orders.addOrder(from);
      const pet = await orders.pet(order.petId);
      const { json } = await orders.patch(order.id, { status: to, note: 'For Ann.' });
      const message = `The order is ${from}, and cannot become ${to}: ${NEXT[from]}`;
      expect(json).toEqual({ code: 'invalid_transition', message, status: 409 });
      expect((await orders.get(order.id)).json).toEqual(order);
      expect(await orders.pet(order.petId)).toEqual(pet);
    },
  );
});
