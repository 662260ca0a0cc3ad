import { DELIVERED_STATUSES } from '../orders/order-states.ts';
import type { OrdersOfDay } from '../orders/order-store.ts';

/** What ended an order without a delivery, or after one. */
const ENDS = ['cancelled', 'expired', 'returned'] as const satisfies (keyof OrdersOfDay)[];

const DELIVERED = `status IN (${DELIVERED_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** The orders of a day that have a time in this column. */
const countOf = (orders: string, column: string, condition = 'true'): string =>
  `(SELECT count(*) FROM ${orders} WHERE ${column} >= begins AND ${column} < ends AND ${condition})`;

/**
 * Counts the orders of each day, by indexes alone.
 * @param orders the table.
 * @param days a table of rows (begins, ends) in the order of the days.
 * @param byEnd the table of the orders, read by its index of ends and statuses.
 */
export const selectDays = (orders: string, days: string, byEnd = orders): string => `SELECT
  ${countOf(orders, 'created_at')} AS placed,
  ${countOf(orders, 'delivered_at', DELIVERED)} AS delivered,
  ${ENDS.map((end) => `${countOf(byEnd, 'ended_at', `status = '${end}'`)} AS ${end}`).join(', ')}
  FROM ${days}`;

/** @param orders the table. */
export const selectOpenOrders = (orders: string): string =>
  `SELECT (SELECT count(*) FROM ${orders} WHERE status = 'placed') AS placed,
    (SELECT count(*) FROM ${orders} WHERE status = 'approved') AS approved`;
