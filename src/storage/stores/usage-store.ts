import { chain, type MaybePromise } from '../../maybe-promise.ts';
import {
  byDay,
  type DailyUsage,
  type LatestUsage,
  type NamedUsage,
  type OperationUsage,
  type UsageStore,
} from '../../observe/usage.ts';
import { type Sql, Statement } from '../sql.ts';

/** The rows are added in one order, so that no two transactions wait for each other. */
const ADD = new Statement(
  ({
    table,
    rows,
  }) => `INSERT INTO ${table('operation_usage')} (key_id, operation_id, calls, last_called_at)
    SELECT key_id, operation_id, sum(calls), max(last_called_at)
    FROM ${rows({ key_id: 'bigint', operation_id: 'text', calls: 'bigint', last_called_at: 'bigint' })}
    WHERE true GROUP BY key_id, operation_id ORDER BY key_id, operation_id
    ON CONFLICT (key_id, operation_id) DO UPDATE SET
      calls = operation_usage.calls + excluded.calls,
      last_called_at = CASE WHEN operation_usage.last_called_at > excluded.last_called_at
        THEN operation_usage.last_called_at ELSE excluded.last_called_at END`,
);
const ADD_TO_DAYS = new Statement(
  ({ table, rows }) => `INSERT INTO ${table('daily_usage')} (day, operation_id, calls)
    SELECT day, operation_id, calls
    FROM ${rows({ day: 'bigint', operation_id: 'text', calls: 'bigint' })}
    WHERE true ORDER BY day, operation_id
    ON CONFLICT (day, operation_id) DO UPDATE SET calls = daily_usage.calls + excluded.calls`,
);
const DELETE_DAYS = new Statement(
  ({ table }) => `DELETE FROM ${table('daily_usage')} WHERE day < $1`,
);

const NAMED = `key_id AS "keyId", name AS "keyName", operation_id AS "operationId", calls,
  last_called_at AS "lastCalledAt"`;

const LIST = new Statement<NamedUsage>(
  ({ table, byCodePoint }) => `SELECT ${NAMED}
    FROM ${table('operation_usage')} JOIN ${table('api_keys')} ON api_keys.id = key_id
    ORDER BY operation_id ${byCodePoint}, key_id`,
);
const LIST_LATEST = new Statement<LatestUsage>(
  ({ table, byCodePoint }) => `SELECT ${NAMED}, total_calls AS "totalCalls", key_count AS "keyCount"
    FROM (
      SELECT *, row_number() OVER latest AS position,
        CAST(sum(calls) OVER every AS bigint) AS total_calls, count(*) OVER every AS key_count
      FROM ${table('operation_usage')}
      WINDOW every AS (PARTITION BY operation_id),
        latest AS (PARTITION BY operation_id ORDER BY last_called_at DESC, key_id)
    ) AS ranked JOIN ${table('api_keys')} ON api_keys.id = key_id
    WHERE position <= $1 ORDER BY operation_id ${byCodePoint}, position`,
);
const LIST_DAYS = new Statement<DailyUsage>(
  ({ table, byCodePoint }) => `SELECT day, operation_id AS "operationId", calls
    FROM ${table('daily_usage')} WHERE day >= $1 ORDER BY operation_id ${byCodePoint}, day`,
);

export class StoredUsage implements UsageStore {
  constructor(readonly sql: Sql) {}

  add(usage: readonly OperationUsage[]): MaybePromise<void> {
    if (usage.length === 0) return;
    const calls = usage.map((one) => [one.keyId, one.operationId, one.calls, one.lastCalledAt]);
    const days = byDay(usage).map((one) => [one.day, one.operationId, one.calls]);
    const { sql } = this;
    return chain(sql.change(ADD, ...sql.rowsOf(calls, 4)), () =>
      chain(sql.change(ADD_TO_DAYS, ...sql.rowsOf(days, 3)), () => {}),
    );
  }

  deleteDaysBefore(day: number): MaybePromise<void> {
    return chain(this.sql.change(DELETE_DAYS, day), () => {});
  }

  list(): MaybePromise<NamedUsage[]> {
    return chain(this.sql.read(LIST), (rows) => [...rows]);
  }

  listLatest(count: number): MaybePromise<LatestUsage[]> {
    return chain(this.sql.read(LIST_LATEST, count), (rows) => [...rows]);
  }

  listDays(firstDay: number): MaybePromise<DailyUsage[]> {
    return chain(this.sql.read(LIST_DAYS, firstDay), (rows) => [...rows]);
  }
}
