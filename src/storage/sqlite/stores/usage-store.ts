import type { Database as Sqlite } from 'bun:sqlite';
import {
  byDay,
  type DailyUsage,
  type LatestUsage,
  type NamedUsage,
  type OperationUsage,
  type UsageStore,
} from '../../../observe/usage.ts';
import { translateReadErrors } from '../failures.ts';

export class SqliteUsageStore implements UsageStore {
  readonly #connection: Sqlite;

  constructor(connection: Sqlite) {
    this.#connection = connection;
  }

  add(usage: readonly OperationUsage[]): void {
    const upsert = this.#connection.query(
      `INSERT INTO operation_usage (key_id, operation_id, calls, last_called_at)
      VALUES ($keyId, $operationId, $calls, $lastCalledAt)
      ON CONFLICT (key_id, operation_id) DO UPDATE SET
        calls = calls + excluded.calls,
        last_called_at = max(last_called_at, excluded.last_called_at)`,
    );
    for (const { keyId, operationId, calls, lastCalledAt } of usage) {
      upsert.run({ keyId, operationId, calls, lastCalledAt });
    }
    const addToDay = this.#connection.query(
      `INSERT INTO daily_usage (day, operation_id, calls) VALUES ($day, $operationId, $calls)
      ON CONFLICT (day, operation_id) DO UPDATE SET calls = calls + excluded.calls`,
    );
    for (const { day, operationId, calls } of byDay(usage)) {
      addToDay.run({ day, operationId, calls });
    }
  }

  deleteDaysBefore(day: number): void {
    this.#connection.query('DELETE FROM daily_usage WHERE day < ?').run(day);
  }

  list(): NamedUsage[] {
    const sql = `SELECT key_id AS keyId, name AS keyName, operation_id AS operationId, calls,
        last_called_at AS lastCalledAt
      FROM operation_usage JOIN api_keys ON api_keys.id = key_id
      ORDER BY operation_id, key_id`;
    return translateReadErrors(this.#connection, () =>
      this.#connection.query<NamedUsage, []>(sql).all(),
    );
  }

  listLatest(count: number): LatestUsage[] {
    const sql = `SELECT key_id AS keyId, name AS keyName, operation_id AS operationId, calls,
        last_called_at AS lastCalledAt, total_calls AS totalCalls, key_count AS keyCount
      FROM (
        SELECT *, row_number() OVER latest AS position, sum(calls) OVER every AS total_calls,
          count(*) OVER every AS key_count
        FROM operation_usage
        WINDOW every AS (PARTITION BY operation_id),
          latest AS (PARTITION BY operation_id ORDER BY last_called_at DESC, key_id)
      ) JOIN api_keys ON api_keys.id = key_id
      WHERE position <= ? ORDER BY operation_id, position`;
    return translateReadErrors(this.#connection, () =>
      this.#connection.query<LatestUsage, [number]>(sql).all(count),
    );
  }

  listDays(firstDay: number): DailyUsage[] {
    const sql = `SELECT day, operation_id AS operationId, calls FROM daily_usage
      WHERE day >= ? ORDER BY operation_id, day`;
    return translateReadErrors(this.#connection, () =>
      this.#connection.query<DailyUsage, [number]>(sql).all(firstDay),
    );
  }
}
