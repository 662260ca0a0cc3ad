import {
  enumField,
  idParameter,
  int64Field,
  timeField,
  unchangedIdField,
} from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import type { PetStatus } from '../pets/pet.ts';

const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;

export const OrderStatus = enumField(ORDER_STATUSES).openapi('OrderStatus', {
  description: 'Status of an order. Placed and approved orders are open: they hold their animal.',
});
export type OrderStatus = z.infer<typeof OrderStatus>;

export const NewOrder = z
  .object({ petId: int64Field('Identifier of the animal to sell.') })
  .openapi('NewOrder', { description: 'An order to place.' });

export const OrderPatch = z
  .object({
    id: unchangedIdField,
    status: OrderStatus.optional().openapi({
      description:
        'The new status. If it is absent or equal to the current status, nothing changes.',
    }),
  })
  .openapi('OrderPatch', { description: 'A merge patch of an order (RFC 7396).' });

export const Order = z
  .object({
    id: int64Field('Unique identifier, assigned by the service and never reused.'),
    petId: int64Field('Identifier of the animal.'),
    status: OrderStatus,
    createdAt: timeField('When the order was placed.'),
    expiresAt: timeField('When the order expires, unless it is approved before then.').optional(),
  })
  .openapi('Order', { description: 'An order for one animal.' });
export type Order = z.infer<typeof Order>;

/** The possible next statuses of an order, with the status that its animal then gets. */
export const TRANSITIONS: Readonly<
  Record<OrderStatus, Readonly<Partial<Record<OrderStatus, PetStatus>>>>
> = {
  placed: { approved: 'pending', cancelled: 'available' },
  approved: { delivered: 'sold', cancelled: 'available' },
  delivered: {},
  cancelled: {},
  expired: {},
};

/** The path parameter of an operation on one order. */
export const ORDER_PARAMS = {
  schema: idParameter('orderId', 'Identifier of the order.'),
  notFound: 'order_not_found',
} as const;
