import type { NamedUsage, OperationUsage, UsageStore } from '../../../observe/usage.ts';
import { arrayOf } from '../statements/page-queries.ts';
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
}
