import { refuseField } from '../http/contract/faults.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { DEFAULT_SORT, type ListQuery, SORTS } from '../http/contract/list-query.ts';
import { operation } from '../http/contract/operation.ts';
import {
  PAGE_HEADERS,
  pageInOrder,
  pageOf,
  pageParameters,
  sortParameter,
} from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { Order } from './order.ts';
import {
  ORDER_FILTER_EXAMPLES,
  ORDER_FILTERS,
  type OrderFilters,
  timeOrderOf,
} from './order-filters.ts';
import type { OrderReader } from './order-store.ts';

const ORDER_SORTS = [...SORTS, 'expiresAt'] as const;

export const listOrders = operation({
  id: 'listOrders',
  method: 'get',
  path: '/store/orders',
  tag: 'Orders',
  summary: 'List orders',
  description:
    'Returns a page of orders, ascending by id, or as `sort` says. With `createdAfter` or `createdBefore` they are in the order ' +
    'of `createdAt`, with `deliveredAfter` or `deliveredBefore` in the order of `deliveredAt`. Those of the same time are in the order of id, and ' +
    '`sort` is the direction. With `sort=expiresAt` the page has only placed orders. The first one expires next.',
  scope: 'orders:read',
  stability: 'beta',
  query: z.object({
    ...pageParameters('/store/orders', ORDER_FILTER_EXAMPLES, 'createdAt'),
    sort: sortParameter(
      ORDER_SORTS,
      'The order: `id` is ascending by id, `-id` descending, `expiresAt` by the end of the hold.',
    ),
    ...ORDER_FILTERS,
  }),
  responses: {
    200: {
      description: 'A page of orders.',
      schema: pageOf(Order),
      example: [
        {
          id: 1,
          petId: 1,
          status: 'delivered',
          createdAt: '2027-01-01T12:00:00.000Z',
          reference: 'R-2027-17',
        },
      ],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

interface Deps {
  readonly orders: OrderReader;
  readonly baseUrl: string;
}

export const handleListOrders: DirectHandler<typeof listOrders, Deps> = (
  { orders, baseUrl },
  { query: { limit, cursor, sort = DEFAULT_SORT, ...filters }, keyId, isGone },
) => {
  const byExpiry = sort === 'expiresAt';
  const by = timeOrderOf(filters);
  if (byExpiry && (by !== undefined || filters.status?.some((status) => status !== 'placed')))
    return refuseField('invalid_parameter', 'sort', ONLY_PLACED);
  const query: ListQuery<OrderFilters> = byExpiry
    ? { filters, sort: 'id', by: sort }
    : { filters, sort, by };
  return pageInOrder({ limit, cursor, baseUrl, path: listOrders.path, query }, (after, count) =>
    orders.list(query, after, count, { keyId, isGone }),
  );
};

const ONLY_PLACED =
  'can be expiresAt only for placed orders: without a filter by time, and without another status';
