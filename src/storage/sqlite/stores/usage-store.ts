import type { Database as Sqlite } from 'bun:sqlite';
import type { NamedUsage, OperationUsage, UsageStore } from '../../../observe/usage.ts';
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
}
