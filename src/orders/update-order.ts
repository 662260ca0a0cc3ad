import { type Clock, toIso } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { refuseOtherId } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import type { PetStore } from '../pets/pet-store.ts';
import { type Steps, wait } from '../steps.ts';
import { ORDER_PARAMS, Order, OrderPatch, patched } from './order.ts';
import { EFFECTS_TEXT, ORDER_STATES, TRANSITIONS_TEXT, transitionProblem } from './order-states.ts';
import type { OrderStore } from './order-store.ts';

export const updateOrder = operation({
  id: 'updateOrder',
  method: 'patch',
  path: '/store/orders/{orderId}',
  tag: 'Orders',
  summary: 'Advance, cancel or return an order',
  description:
    `Changes the status, the reference or the note. ${TRANSITIONS_TEXT} ${EFFECTS_TEXT} A return changes the animal only if it is ` +
    'sold, and no later order of it is open or delivered. The reference and the note can be changed in every status. ' +
    'A request for the current status succeeds and does not change it, so it can be retried without If-Match.',
  scope: 'orders:write',
  stability: 'beta',
  params: ORDER_PARAMS,
  body: {
    schema: OrderPatch,
    isMergePatch: true,
    examples: {
      approve: { status: 'approved' },
      cancel: { status: 'cancelled' },
      return: { status: 'returned', note: 'Allergy in the family.' },
      withoutNote: { note: null },
    },
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

interface Stores {
  readonly pets: PetStore;
  readonly orders: OrderStore;
}

interface Deps extends Stores {
  readonly clock: Clock;
}

export const handleUpdateOrder: Handler<typeof updateOrder, Deps> = function* (
  { clock, ...stores },
  { params: { orderId }, body: patch, precondition },
) {
  const { orders } = stores;
  const otherId = refuseOtherId(patch.id, orderId);
  if (otherId) return otherId;
  const now = clock.now();
  yield* wait(orders.expire(now, { id: orderId }));
  const order = yield* wait(orders.get(orderId));
  if (order === undefined) return refuse('order_not_found');
  const refusal = precondition(order);
  if (refusal) return refusal;
  const changed = patched(order, patch, toIso(now));
  const isMove = changed.status !== order.status;
  const problem = isMove ? transitionProblem(order.status, changed.status) : undefined;
  if (problem !== undefined) return refuse('invalid_transition', problem);
  yield* wait(orders.replace(changed));
  if (isMove) yield* moveAnimal(stores, changed);
  return { status: 200, body: changed };
};

/** Gives the animal the status that follows from the status of its order. */
function* moveAnimal({ pets, orders }: Stores, order: Order): Steps<void> {
  const { animal, onlyLastSale } = ORDER_STATES[order.status];
  const pet = yield* wait(pets.get(order.petId));
  if (pet === undefined) return;
  // In this sequence: on PostgreSQL, the lock of the animal keeps others from selling it in between.
  if (onlyLastSale && (pet.status !== 'sold' || (yield* wait(orders.isSoldAgain(order))))) return;
  yield* wait(pets.replace({ ...pet, status: animal }));
}
