import type { Clock } from '../clock.ts';
import { refuse } from '../http/errors.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import type { PetStore } from '../pets/pet-store.ts';
import { NewOrder, Order } from './order.ts';
import type { OrderStore } from './order-store.ts';

export const placeOrder = operation({
  id: 'placeOrder',
  method: 'post',
  path: '/store/orders',
  tag: 'Orders',
  summary: 'Order an animal',
  description:
    'Holds an available animal for a while, and makes it pending. The order expires unless it is ' +
    'approved in time.',
  scope: 'orders:write',
  stability: 'beta',
  body: { schema: NewOrder, examples: { rex: { petId: 1 } } },
  answers: {
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
      headers: { Location: 'The address of the order.' },
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

export const handlePlaceOrder =
  ({ pets, orders, clock, orderHoldMs, baseUrl }: Deps): Handler<typeof placeOrder> =>
  ({ body: { petId } }) => {
    const now = clock.now();
    return chain(orders.expire(now), () =>
      chain(pets.get(petId), (pet) => {
        if (pet === undefined) return refuse('validation_failed', 'petId: names no animal.');
        if (pet.status !== 'available') return refuse('pet_not_available');
        const placed = {
          petId,
          status: 'placed',
          createdAt: new Date(now).toISOString(),
          expiresAt: new Date(now + orderHoldMs).toISOString(),
        } as const;
        return chain(pets.replace({ ...pet, status: 'pending' }), () =>
          chain(orders.create(placed), (order) => ({
            status: 201,
            body: order,
            headers: { Location: `${baseUrl}/store/orders/${order.id}` },
          })),
        );
      }),
    );
  };
