import type { DirectHandler } from '../http/contract/handler.ts';
import { DEFAULT_SORT } from '../http/contract/list-query.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, pageInOrder, pageOf, sortedPageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { Order } from './order.ts';
import { ORDER_FILTER_EXAMPLES, ORDER_FILTERS } from './order-filters.ts';
import type { OrderReader } from './order-store.ts';

export const listOrders = operation({
  id: 'listOrders',
  method: 'get',
  path: '/store/orders',
  tag: 'Orders',
  summary: 'List orders',
  description:
    'Returns a page of orders, ascending by id, or as `sort` says. With `createdAfter` or `createdBefore` they are in the order ' +
    'of `createdAt`, those of the same time in the order of id, and `sort` is the direction.',
  scope: 'orders:read',
  stability: 'beta',
  query: z.object({
    ...sortedPageParameters('/store/orders', ORDER_FILTER_EXAMPLES),
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
  { query: { limit, cursor, sort = DEFAULT_SORT, ...filters } },
) =>
  pageInOrder(
    { limit, cursor, baseUrl, path: listOrders.path, query: { filters, sort }, links: true },
    (query, after, count) => orders.list(query, after, count),
  );
