import {
  enumField,
  idParameter,
  inOrderOf,
  int64Field,
  timeField,
  unchangedIdField,
} from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import {
  anyOf,
  FIRST_STATUSES,
  OPEN_STATUSES,
  ORDER_STATUSES,
  TRANSITIONS_TEXT,
  timesOf,
} from './order-states.ts';
import { NOTE, REFERENCE, textField, textPatchField } from './order-texts.ts';

export const OrderStatus = enumField(ORDER_STATUSES).openapi('OrderStatus', {
  description: `Status of an order. An order that is ${anyOf(OPEN_STATUSES)} is open: it holds its animal. ${TRANSITIONS_TEXT}`,
});

const REFERENCE_TEXT =
  "The client's own name for the order, such as the number of a receipt. Several orders can have the same one.";
const NOTE_TEXT = 'A remark of the client. It can have several lines.';

export const NewOrder = z
  .object({
    petId: int64Field('Identifier of the animal to sell.'),
    status: enumField(FIRST_STATUSES)
      .optional()
      .openapi({
        description: `The first status of the order. \`delivered\` is a sale over the counter. Default: \`${FIRST_STATUSES[0]}\`.`,
      }),
    reference: textField(REFERENCE, REFERENCE_TEXT).optional(),
    note: textField(NOTE, NOTE_TEXT).optional(),
  })
  .openapi('NewOrder', { description: 'An order to place.' });
export type NewOrder = z.infer<typeof NewOrder>;

export const OrderPatch = z
  .object({
    id: unchangedIdField,
    status: OrderStatus.optional().openapi({
      description:
        'The new status. If it is absent or equal to the current status, the status does not change.',
    }),
    reference: textPatchField(REFERENCE, REFERENCE_TEXT).optional(),
    note: textPatchField(NOTE, NOTE_TEXT).optional(),
  })
  .openapi('OrderPatch', { description: 'A merge patch of an order (RFC 7396).' });
export type OrderPatch = z.infer<typeof OrderPatch>;

export const Order = z
  .object({
    id: int64Field('Unique identifier, assigned by the service and never reused.'),
    petId: int64Field('Identifier of the animal.'),
    status: OrderStatus,
    createdAt: timeField('When the order was placed.'),
    expiresAt: timeField('When the order expires, unless it is approved before then.').optional(),
    deliveredAt: timeField('When the animal was handed over. It stays after a return.').optional(),
    endedAt: timeField(
      'When the order ended: it was delivered, cancelled or returned, or it expired. The last of these counts. Absent while the order is open.',
    ).optional(),
    reference: textField(REFERENCE, REFERENCE_TEXT).optional(),
    note: textField(NOTE, NOTE_TEXT).optional(),
  })
  .openapi('Order', { description: 'An order for one animal.' });
export type Order = z.infer<typeof Order>;

/** In the order of the schema, as it is read back: an entity tag is computed from the text. */
export const inOrder = inOrderOf(Order);

/**
 * Applies a merge patch to an order: null removes a field. A change of the status ends the hold.
 * @param now the time of the change.
 */
export function patched(order: Order, patch: OrderPatch, now: string): Order {
  const { status = order.status } = patch;
  const kept =
    status === order.status ? order : { ...order, expiresAt: undefined, ...timesOf(status, now) };
  return inOrder({ ...kept, ...patch, status });
}

/** The path parameter of an operation on one order. */
export const ORDER_PARAMS = {
  schema: idParameter('orderId', 'Identifier of the order.'),
  notFound: 'order_not_found',
} as const;
