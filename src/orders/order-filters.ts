import { Int64Text } from '../http/contract/fields.ts';
import type { FilterValues } from '../http/contract/list-query.ts';
import { OrderStatus } from './order.ts';

/** Values of the filters that can be sent together. */
export const ORDER_FILTER_EXAMPLES = { status: 'placed', petId: 1 } as const;

/** The filters of a list of orders. */
export const ORDER_FILTERS = {
  status: OrderStatus.optional().openapi({
    param: { description: 'Filters by status.', example: ORDER_FILTER_EXAMPLES.status },
  }),
  petId: Int64Text.optional().openapi({
    param: {
      description: 'Returns only the orders for this animal.',
      example: ORDER_FILTER_EXAMPLES.petId,
    },
  }),
};
export type OrderFilters = FilterValues<typeof ORDER_FILTERS>;
