import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { refuseOtherId } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import type { PetStore } from '../pets/pet-store.ts';
import { wait } from '../steps.ts';
import { ORDER_PARAMS, Order, OrderPatch, TRANSITIONS } from './order.ts';
import type { OrderStore } from './order-store.ts';

export const updateOrder = operation({
  id: 'updateOrder',
  method: 'patch',
  path: '/store/orders/{orderId}',
  tag: 'Orders',
  summary: 'Advance or cancel an order',
  description:
    'A placed order can be approved, an approved order can be delivered, and both can be ' +
    'cancelled. After a delivery the animal is sold; after a cancellation it is available again. ' +
    'A request for the current status succeeds and changes nothing, so it can be retried without If-Match.',
  scope: 'orders:write',
  stability: 'beta',
  params: ORDER_PARAMS,
  body: {
    schema: OrderPatch,
    isMergePatch: true,
    examples: { approve: { status: 'approved' }, cancel: { status: 'cancelled' } },
  },
  responses: {
    200: {
      description: 'The updated order.',
      schema: Order,
      example: { id: 1, petId: 1, status: 'approved', createdAt: '2027-01-01T12:00:00.000Z' },
    },
  },
  errors: [
    'read_only_field',
    'validation_failed',
    'order_not_found',
    'precondition_failed',
    'precondition_required',
    'invalid_transition',
  ],
});

interface Deps {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly clock: Clock;
}

export const handleUpdateOrder: Handler<typeof updateOrder, Deps> = function* (
  { pets, orders, clock },
  { params: { orderId }, body: { id, status }, precondition },
) {
  const otherId = refuseOtherId(id, orderId);
  if (otherId) return otherId;
  yield* wait(orders.expire(clock.now()));
  const order = yield* wait(orders.get(orderId));
  if (order === undefined) return refuse('order_not_found');
  const refusal = precondition(order);
  if (refusal) return refusal;
  if (status === undefined || status === order.status) return { status: 200, body: order };
  const petStatus = TRANSITIONS[order.status][status];
  if (petStatus === undefined) {
    const message = `The order is ${order.status}, and cannot become ${status}.`;
    return refuse('invalid_transition', message);
  }
  // Only a placed order has an expiry.
  const { expiresAt: _expiry, ...rest } = order;
  const changed = { ...rest, status };
  yield* wait(orders.replace(changed));
  const pet = yield* wait(pets.get(order.petId));
  if (pet) yield* wait(pets.replace({ ...pet, status: petStatus }));
  return { status: 200, body: changed };
};
