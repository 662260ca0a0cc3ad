import type { Clock } from '../clock.ts';
import { type Refusal, refuse } from '../http/errors.ts';
import { idParameter } from '../http/fields.ts';
import { type Answer, type Handler, operation } from '../http/operation.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { PetStore } from '../pets/pet-store.ts';
import { Order, OrderPatch, type OrderStatus, TRANSITIONS } from './order.ts';
import type { OrderStore } from './order-store.ts';

export const updateOrder = operation({
  id: 'updateOrder',
  method: 'patch',
  path: '/store/orders/{orderId}',
  tag: 'Orders',
  summary: 'Advance or cancel an order',
  description:
    'A placed order can be approved, an approved one delivered, and either cancelled. Delivery ' +
    'makes the animal sold, cancellation makes it available again. A request for the status that ' +
    'the order already has succeeds and changes nothing: without If-Match it is safe to send again.',
  scope: 'orders:write',
  stability: 'beta',
  params: {
    schema: idParameter('orderId', 'Identifier of the order.'),
    notFound: 'order_not_found',
  },
  body: {
    schema: OrderPatch,
    isMergePatch: true,
    examples: { approve: { status: 'approved' }, cancel: { status: 'cancelled' } },
  },
  answers: {
    200: {
      description: 'The order as it is now.',
      schema: Order,
      example: { id: 1, petId: 1, status: 'approved', createdAt: '2027-01-01T12:00:00.000Z' },
    },
  },
  errors: [
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

export const handleUpdateOrder =
  ({ pets, orders, clock }: Deps): Handler<typeof updateOrder> =>
  ({ params: { orderId }, body: { status }, precondition }) =>
    chain(orders.expire(clock.now()), () =>
      chain(orders.get(orderId), (order) => {
        if (order === undefined) return refuse('order_not_found');
        const refusal = precondition(order);
        if (refusal) return refusal;
        const isChange = status !== undefined && status !== order.status;
        return isChange ? change({ pets, orders }, order, status) : { status: 200, body: order };
      }),
    );

function change(
  { pets, orders }: Pick<Deps, 'pets' | 'orders'>,
  order: Order,
  status: OrderStatus,
): MaybePromise<Answer<typeof updateOrder> | Refusal<'invalid_transition'>> {
  const petStatus = TRANSITIONS[order.status][status];
  if (petStatus === undefined) {
    const message = `The order is ${order.status}, and cannot become ${status}.`;
    return refuse('invalid_transition', message);
  }
  // Only a placed order has an end of its own.
  const { expiresAt: _ended, ...kept } = order;
  const changed = { ...kept, status };
  return chain(orders.replace(changed), () =>
    chain(pets.get(order.petId), (pet) =>
      chain(pet && pets.replace({ ...pet, status: petStatus }), () => ({
        status: 200,
        body: changed,
      })),
    ),
  );
}
