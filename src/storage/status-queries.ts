import type { CatalogueContents } from './maintenance.ts';
import { KEY_END } from './rows.ts';

/** Queries of both engines for `CatalogueContents`. The tables have no prefix. */

/** Rows of a status and the number of orders. */
export const COUNT_ORDERS = 'SELECT status, count(*) AS count FROM orders GROUP BY status';

/** SQLite only: the row with the time of the last backup, null if there was none. */
export const SELECT_LAST_BACKUP = 'SELECT at FROM last_backup';

/** The columns of `category_counts` with numbers of animals. */
export const STATUSES = ['available', 'pending', 'sold', 'unset'] as const;

/** Counts animals in the order of `STATUSES`, with these names. */
export const COUNTED = STATUSES.map(
  (status) =>
    `count(*) FILTER (WHERE ${status === 'unset' ? 'status IS NULL' : `status = '${status}'`}) AS ${status}`,
).join(', ');

/** A row for each category with animals: its id and its counts. */
export const COUNT_BY_CATEGORY = `SELECT category_id, ${COUNTED} FROM pets GROUP BY category_id`;

/** The sums of rows of `category_counts`, in the order of `STATUSES`. */
export const SUMS = STATUSES.map(
  (status) => `CAST(coalesce(sum(${status}), 0) AS bigint) AS ${status}`,
).join();

/** One row with the inventory. */
export const COUNT_PETS = `SELECT ${SUMS} FROM category_counts`;

/** One row with all other numbers and times. The ids of orders ascend with time. @param now in milliseconds since 1970-01-01T00:00:00Z. */
export const countOthers = (now: number): string => `SELECT
  (SELECT count(*) FROM categories) AS categories,
  (SELECT count(*) FROM idempotency_records) AS records,
  (SELECT count(*) FROM events) AS events,
  (SELECT count(*) FROM api_keys WHERE revoked_at IS NOT NULL) AS revoked,
  (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND ${KEY_END} <= ${now}) AS expired,
  (SELECT count(*) FROM api_keys) AS keys,
  (SELECT created_at FROM orders ORDER BY id LIMIT 1) AS "firstOrderAt",
  (SELECT created_at FROM orders ORDER BY id DESC LIMIT 1) AS "lastOrderAt",
  (SELECT max(last_called_at) FROM operation_usage) AS "lastCallAt"`;

/** Values of an engine: numbers, or text if the driver returns them so. */
type CountRow = Readonly<Record<string, unknown>>;

/** Converts the rows of the three queries. */
export function toContents(
  [pets = {}]: readonly CountRow[],
  orders: readonly CountRow[],
  [others = {}]: readonly CountRow[],
): CatalogueContents {
  const number = (name: string): number => Number(others[name] ?? 0);
  const time = (name: string): number | null => (others[name] === null ? null : number(name));
  return {
    pets: Object.fromEntries(
      Object.entries(pets).map(([status, count]) => [status, Number(count)]),
    ),
    categories: number('categories'),
    orders: Object.fromEntries(orders.map(({ status, count }) => [String(status), Number(count)])),
    apiKeys: {
      active: number('keys') - number('revoked') - number('expired'),
      expired: number('expired'),
      revoked: number('revoked'),
    },
    idempotencyRecords: number('records'),
    events: number('events'),
    firstOrderAt: time('firstOrderAt'),
    lastOrderAt: time('lastOrderAt'),
    lastCallAt: time('lastCallAt'),
  };
}
