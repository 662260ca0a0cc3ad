import { int64Field, wordField } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import type { PetStatus } from '../pets/pet.ts';

const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;

export const OrderStatus = wordField(ORDER_STATUSES).openapi('OrderStatus', {
  description:
    'Where an order stands. Placed and approved orders are open: they hold their animal.',
});
export type OrderStatus = z.infer<typeof OrderStatus>;

export const NewOrder = z
  .object({ petId: int64Field('Identifier of the animal to be sold.') })
  .openapi('NewOrder', { description: 'An order to be placed.' });

export const OrderPatch = z
  .object({
    status: OrderStatus.optional().openapi({
      description: 'The new status. The present one, or none, changes nothing.',
    }),
  })
  .openapi('OrderPatch', { description: 'What to change of an order (RFC 7396).' });

const time = (description: string) => z.iso.datetime().openapi({ description });

export const Order = z
  .object({
    id: int64Field('Unique identifier, assigned by the service and never reused.'),
    petId: int64Field('Identifier of the animal.'),
    status: OrderStatus,
    createdAt: time('When the order was placed.'),
    expiresAt: time('When the order ends by itself, unless it is approved before.').optional(),
  })
  .openapi('Order', { description: 'An order for one animal.' });
export type Order = z.infer<typeof Order>;

/** What may become of an order, and what then becomes of its animal. */
export const TRANSITIONS: Readonly<
  Record<OrderStatus, Readonly<Partial<Record<OrderStatus, PetStatus>>>>
> = {
  placed: { approved: 'pending', cancelled: 'available' },
  approved: { delivered: 'sold', cancelled: 'available' },
  delivered: {},
  cancelled: {},
  expired: {},
};
