import { refuse } from '../http/contract/errors.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { chain } from '../maybe-promise.ts';
import { ORDER_PARAMS, Order } from './order.ts';
import type { OrderReader } from './order-store.ts';

export const getOrder = operation({
  id: 'getOrder',
  method: 'get',
  path: '/store/orders/{orderId}',
  tag: 'Orders',
  summary: 'Fetch one order',
  description: 'Returns one order.',
  scope: 'orders:read',
  stability: 'beta',
  params: ORDER_PARAMS,
  responses: {
    200: {
      description: 'The order.',
      schema: Order,
      example: { id: 1, petId: 1, status: 'approved', createdAt: '2027-01-01T12:00:00.000Z' },
    },
  },
  errors: ['order_not_found'],
});

interface Deps {
  readonly orders: OrderReader;
}

export const handleGetOrder: DirectHandler<typeof getOrder, Deps> = (
  { orders },
  { params: { orderId } },
) =>
  chain(orders.get(orderId), (order) =>
    order ? { status: 200, body: order } : refuse('order_not_found'),
  );
