import { Int64Text } from '../http/contract/fields.ts';
import type { FilterValues } from '../http/contract/filters.ts';
import { OrderStatus } from './order.ts';

/** The filters of a list of orders. */
export const ORDER_FILTERS = {
  status: OrderStatus.optional().openapi({ param: { description: 'Filters by status.' } }),
  petId: Int64Text.optional().openapi({
    param: { description: 'Returns only the orders for this animal.' },
  }),
};
export type OrderFilters = FilterValues<typeof ORDER_FILTERS>;
