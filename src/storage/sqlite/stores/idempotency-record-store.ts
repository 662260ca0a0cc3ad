import type { Database as Sqlite } from 'bun:sqlite';
import type {
  IdempotencyRecord,
  IdempotencyRecordStore,
  IdempotencyScope,
} from '../../../idempotency/idempotency-record-store.ts';

export class SqliteIdempotencyRecordStore implements IdempotencyRecordStore {
  readonly #connection: Sqlite;

  constructor(connection: Sqlite) {
    this.#connection = connection;
  }

  find({ keyId, operation, idempotencyKey }: IdempotencyScope): IdempotencyRecord | undefined {
    const row = this.#connection
      .query<IdempotencyRecord, [number, string, string]>(
        `SELECT fingerprint, response, saved_at AS savedAt FROM idempotency_records
        WHERE key_id = ? AND operation = ? AND idempotency_key = ?`,
      )
      .get(keyId, operation, idempotencyKey);
    return row ?? undefined;
  }

  save({ keyId, operation, idempotencyKey }: IdempotencyScope, record: IdempotencyRecord): void {
    this.#connection
      .query(
        `INSERT INTO idempotency_records
          (key_id, operation, idempotency_key, fingerprint, response, saved_at)
        VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(keyId, operation, idempotencyKey, record.fingerprint, record.response, record.savedAt);
  }

  delete({ keyId, operation, idempotencyKey }: IdempotencyScope): void {
    this.#connection
      .query(
        'DELETE FROM idempotency_records WHERE key_id = ? AND operation = ? AND idempotency_key = ?',
      )
      .run(keyId, operation, idempotencyKey);
  }

  deleteBefore(time: number, count: number): number {
    return this.#connection
      .query(
        `DELETE FROM idempotency_records WHERE (key_id, operation, idempotency_key) IN (
          SELECT key_id, operation, idempotency_key FROM idempotency_records WHERE saved_at < ? LIMIT ?
        )`,
      )
      .run(time, count).changes;
  }
}
