import { chain, type MaybePromise } from '../maybe-promise.ts';
import { type Sql, Statement } from './sql.ts';

/** The ids of orders ascend with time. Times that were in the future when they were stored, such as an expiry, do not count. */
const NEWEST = new Statement<{ time: number | null }>(({ table }) => {
  const times = [
    `SELECT created_at FROM ${table('orders')} ORDER BY id DESC LIMIT 1`,
    `SELECT max(created_at) FROM ${table('api_keys')}`,
    `SELECT max(revoked_at) FROM ${table('api_keys')}`,
    `SELECT max(last_called_at) FROM ${table('operation_usage')}`,
    `SELECT max(saved_at) FROM ${table('idempotency_records')}`,
  ];
  const rows = times.map((time) => `SELECT (${time}) AS time`);
  return `SELECT max(time) AS time FROM (${rows.join(' UNION ALL ')}) AS times`;
});

/** As `Database.newestTime`. */
export const newestTimeIn = (sql: Sql): MaybePromise<number | undefined> =>
  chain(sql.find(NEWEST), (row) => row?.time ?? undefined);
