import { Int64Text, timeParameter } from '../http/contract/fields.ts';
import type { FilterValues, TimeField } from '../http/contract/list-query.ts';
import { z } from '../http/contract/zod.ts';
import { OrderStatus } from './order.ts';
import { ORDER_STATUSES } from './order-states.ts';
import { REFERENCE, textParameter, textSearch } from './order-texts.ts';

/** Values of the filters that can be sent together. */
export const ORDER_FILTER_EXAMPLES = {
  status: ['placed', 'approved'],
  petId: 1,
  reference: 'R-2027-17',
  text: 'R-2027',
  createdAfter: '2027-01-01T00:00:00.000Z',
  createdBefore: '2027-01-02T00:00:00.000Z',
  deliveredAfter: '2027-01-01T00:00:00.000Z',
  deliveredBefore: '2027-01-02T00:00:00.000Z',
} as const;

/** The filters of a list of orders. Cursors depend on their sequence. */
export const ORDER_FILTERS = {
  status: z
    .array(OrderStatus)
    .max(ORDER_STATUSES.length, `must not be given more than ${ORDER_STATUSES.length} times`)
    .optional()
    .openapi({
      param: {
        description: 'Returns only the orders with one of these statuses. May be repeated.',
        example: ORDER_FILTER_EXAMPLES.status,
      },
    }),
  petId: Int64Text.optional().openapi({
    param: {
      description: 'Returns only the orders for this animal.',
      example: ORDER_FILTER_EXAMPLES.petId,
    },
  }),
  reference: textParameter(REFERENCE)
    .optional()
    .openapi({
      param: {
        description: 'Returns only the orders with exactly this reference.',
        example: ORDER_FILTER_EXAMPLES.reference,
      },
    }),
  text: textSearch.optional().openapi({
    param: {
      description:
        'Returns only the orders whose reference or note contains this text. Case, accents, kinds of apostrophes and invisible characters do not matter.',
      example: ORDER_FILTER_EXAMPLES.text,
    },
  }),
  createdAfter: timeParameter(
    'Returns only the orders that were placed at this time or later (RFC 3339). The order is then by `createdAt`.',
    ORDER_FILTER_EXAMPLES.createdAfter,
  ),
  createdBefore: timeParameter(
    'Returns only the orders that were placed before this time (RFC 3339). The order is then by `createdAt`.',
    ORDER_FILTER_EXAMPLES.createdBefore,
  ),
  deliveredAfter: timeParameter(
    'Returns only the orders that were delivered at this time or later (RFC 3339). Unless the order is by `createdAt`, it is then by `deliveredAt`.',
    ORDER_FILTER_EXAMPLES.deliveredAfter,
  ),
  deliveredBefore: timeParameter(
    'Returns only the orders that were delivered before this time (RFC 3339). Unless the order is by `createdAt`, it is then by `deliveredAt`.',
    ORDER_FILTER_EXAMPLES.deliveredBefore,
  ),
};
export type OrderFilters = FilterValues<typeof ORDER_FILTERS>;

/** The time by which the filters order a list. Undefined: the list is by id. */
export function timeOrderOf(filters: OrderFilters): TimeField | undefined {
  const { createdAfter, createdBefore, deliveredAfter, deliveredBefore } = filters;
  if ((createdAfter ?? createdBefore) !== undefined) return 'createdAt';
  return (deliveredAfter ?? deliveredBefore) === undefined ? undefined : 'deliveredAt';
}
