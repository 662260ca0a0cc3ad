import {
  byDay,
  type DailyUsage,
  type LatestUsage,
  type NamedUsage,
  type OperationUsage,
  type UsageStore,
} from '../../../observe/usage.ts';
import { arrayOf } from '../statements/arrays.ts';
import type { Run } from '../transactions/transactions.ts';

export class PostgresUsageStore implements UsageStore {
  constructor(readonly run: Run) {}

  async add(usage: readonly OperationUsage[]): Promise<void> {
    if (usage.length === 0) return;
    const column = (select: (one: OperationUsage) => string | number) => arrayOf(usage.map(select));
    // Every instance writes in the same order, to prevent deadlocks.
    await this.run(
      `INSERT INTO animal_store.operation_usage (key_id, operation_id, calls, last_called_at)
      SELECT key_id, operation_id, sum(calls), max(last_called_at)
      FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
        AS counted (key_id, operation_id, calls, last_called_at)
      GROUP BY key_id, operation_id ORDER BY key_id, operation_id
      ON CONFLICT (key_id, operation_id) DO UPDATE SET
        calls = operation_usage.calls + excluded.calls,
        last_called_at = greatest(operation_usage.last_called_at, excluded.last_called_at)`,
      [
        column(({ keyId }) => keyId),
        column(({ operationId }) => operationId),
        column(({ calls }) => calls),
        column(({ lastCalledAt }) => lastCalledAt),
      ],
    );
    const days = byDay(usage);
    await this.run(
      `INSERT INTO animal_store.daily_usage (day, operation_id, calls)
      SELECT day, operation_id, calls
      FROM unnest($1::integer[], $2::text[], $3::bigint[]) AS counted (day, operation_id, calls)
      ORDER BY day, operation_id
      ON CONFLICT (day, operation_id) DO UPDATE SET calls = daily_usage.calls + excluded.calls`,
      [
        arrayOf(days.map(({ day }) => day)),
        arrayOf(days.map(({ operationId }) => operationId)),
        arrayOf(days.map(({ calls }) => calls)),
      ],
    );
  }

  async deleteDaysBefore(day: number): Promise<void> {
    await this.run('DELETE FROM animal_store.daily_usage WHERE day < $1', [day]);
  }

  async list(): Promise<NamedUsage[]> {
    return [
      ...(await this.run<NamedUsage>(
        `SELECT key_id AS "keyId", name AS "keyName", operation_id AS "operationId", calls,
          last_called_at AS "lastCalledAt"
        FROM animal_store.operation_usage JOIN animal_store.api_keys ON api_keys.id = key_id
        ORDER BY operation_id COLLATE "C", key_id`,
      )),
    ];
  }

  async listLatest(count: number): Promise<LatestUsage[]> {
    return [
      ...(await this.run<LatestUsage>(
        `SELECT key_id AS "keyId", name AS "keyName", operation_id AS "operationId", calls,
          last_called_at AS "lastCalledAt", total_calls AS "totalCalls", key_count AS "keyCount"
        FROM (
          SELECT *, row_number() OVER latest AS position, (sum(calls) OVER every)::bigint AS total_calls,
            count(*) OVER every AS key_count
          FROM animal_store.operation_usage
          WINDOW every AS (PARTITION BY operation_id),
            latest AS (PARTITION BY operation_id ORDER BY last_called_at DESC, key_id)
        ) AS ranked JOIN animal_store.api_keys ON api_keys.id = key_id
        WHERE position <= $1 ORDER BY operation_id COLLATE "C", position`,
        [count],
      )),
    ];
  }

  async listDays(firstDay: number): Promise<DailyUsage[]> {
    return [
      ...(await this.run<DailyUsage>(
        `SELECT day, operation_id AS "operationId", calls FROM animal_store.daily_usage
        WHERE day >= $1 ORDER BY operation_id COLLATE "C", day`,
        [firstDay],
      )),
    ];
  }
}
