import { type Clock, toIso } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { refuseField } from '../http/contract/faults.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import type { PetStore } from '../pets/pet-store.ts';
import { wait } from '../steps.ts';
import { inOrder, NewOrder, Order } from './order.ts';
import { EFFECTS_TEXT, FIRST_STATUSES, ORDER_STATES, timesOf } from './order-states.ts';
import type { OrderStore } from './order-store.ts';

export const placeOrder = operation({
  id: 'placeOrder',
  method: 'post',
  path: '/store/orders',
  tag: 'Orders',
  summary: 'Order an animal',
  description:
    'Places an order for an available animal. An order that is placed holds the animal, which becomes pending, and expires ' +
    'unless it is approved in time. With `status`, the order is approved or delivered at once: a sale over the counter is one ' +
    `request. ${EFFECTS_TEXT}`,
  scope: 'orders:write',
  stability: 'beta',
  body: {
    schema: NewOrder,
    examples: {
      rex: { petId: 1 },
      sale: { petId: 1, status: 'delivered', reference: 'R-2027-17', note: 'Paid in cash.' },
    },
  },
  responses: {
    201: {
      description: 'The order was placed.',
      schema: Order,
      example: {
        id: 1,
        petId: 1,
        status: 'placed',
        createdAt: '2027-01-01T12:00:00.000Z',
        expiresAt: '2027-01-01T12:30:00.000Z',
      },
      headers: { Location: 'The URL of the order.' },
    },
  },
  errors: ['validation_failed', 'pet_not_available'],
});

interface Deps {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly clock: Clock;
  readonly orderHoldMs: number;
  readonly baseUrl: string;
}

export const handlePlaceOrder: Handler<typeof placeOrder, Deps> = function* (
  { pets, orders, clock, orderHoldMs, baseUrl },
  { body: { petId, status = FIRST_STATUSES[0], ...fields } },
) {
  const now = clock.now();
  yield* wait(orders.expire(now, { petId }));
  const pet = yield* wait(pets.get(petId));
  if (pet === undefined)
    return refuseField('validation_failed', 'petId', 'is not the identifier of an animal');
  const { status: found = 'not set' } = pet;
  if (found !== 'available')
    return refuse('pet_not_available', `The animal is not available: its status is ${found}.`);
  const { animal, afterHold } = ORDER_STATES[status];
  yield* wait(pets.replace({ ...pet, status: animal }));
  const placed = inOrder({
    ...fields,
    petId,
    status,
    createdAt: toIso(now),
    expiresAt: afterHold && toIso(now + orderHoldMs),
    ...timesOf(status, toIso(now)),
  });
  const order = yield* wait(orders.create(placed));
  return {
    status: 201,
    body: order,
    headers: { Location: `${baseUrl}/store/orders/${order.id}` },
  };
};
