import type { OpenOrders, OrdersOfDay } from '../orders/order-store.ts';
import { WAS_DELIVERED } from './order-conditions.ts';
import { Statement } from './sql.ts';

/** What ended an order without a delivery, or after one. */
const ENDS = ['cancelled', 'expired', 'returned'] as const satisfies (keyof OrdersOfDay)[];

/** The orders of a day that have a time in this column. */
const countOf = (orders: string, column: string, condition = 'true'): string =>
  `(SELECT count(*) FROM ${orders} WHERE ${column} >= begins AND ${column} < ends AND ${condition})`;

/** Counts the orders of each day, by indexes alone. Its parameters are rows of when a day begins and ends. */
export const COUNT_DAYS = new Statement<OrdersOfDay>(({ table, tableBy, rows }) => {
  const byEnd = tableBy('orders', 'orders_by_end');
  return `SELECT
    ${countOf(table('orders'), 'created_at')} AS placed,
    ${countOf(table('orders'), 'delivered_at', WAS_DELIVERED)} AS delivered,
    ${ENDS.map((end) => `${countOf(byEnd, 'ended_at', `status = '${end}'`)} AS ${end}`).join(', ')}
    FROM ${rows({ begins: 'bigint', ends: 'bigint' })}`;
});

export const COUNT_OPEN = new Statement<OpenOrders>(
  ({
    table,
  }) => `SELECT (SELECT count(*) FROM ${table('orders')} WHERE status = 'placed') AS placed,
    (SELECT count(*) FROM ${table('orders')} WHERE status = 'approved') AS approved`,
);
