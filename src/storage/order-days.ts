import { DELIVERED_STATUSES } from '../orders/order-states.ts';
import type { OrdersOfDay } from '../orders/order-store.ts';

/** What an order has on a day: its placing, and its delivery or another end. */
const COUNTED: Readonly<Record<keyof OrdersOfDay, string>> = {
  placed: within('created_at'),
  delivered: `${within('delivered_at')} AND status IN (${DELIVERED_STATUSES.map((one) => `'${one}'`).join(', ')})`,
  cancelled: ended('cancelled'),
  expired: ended('expired'),
  returned: ended('returned'),
};

/** Among the orders that ended on the day: SQLite would read all with the status. */
function ended(status: string): string {
  return `${within('ended_at')} AND status || '' = '${status}'`;
}

function within(column: string): string {
  return `${column} >= begins AND ${column} < ends`;
}

/**
 * Counts the orders of each day, by indexes alone.
 * @param orders the table.
 * @param days a table of rows (begins, ends) in the order of the days.
 */
export const selectDays = (orders: string, days: string): string => {
  const counts = Object.entries(COUNTED).map(
    ([name, condition]) => `(SELECT count(*) FROM ${orders} WHERE ${condition}) AS ${name}`,
  );
  return `SELECT ${counts.join(', ')} FROM ${days}`;
};

/** @param orders the table. */
export const selectOpenOrders = (orders: string): string =>
  `SELECT (SELECT count(*) FROM ${orders} WHERE status = 'placed') AS placed,
    (SELECT count(*) FROM ${orders} WHERE status = 'approved') AS approved`;
