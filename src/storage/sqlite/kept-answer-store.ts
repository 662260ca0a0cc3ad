import type { Database as Sqlite } from 'bun:sqlite';
import type {
  KeptAnswer,
  KeptAnswerStore,
  RetryScope,
} from '../../idempotency/kept-answer-store.ts';

export class SqliteKeptAnswerStore implements KeptAnswerStore {
  readonly #connection: Sqlite;

  constructor(connection: Sqlite) {
    this.#connection = connection;
  }

  find({ keyId, operation, idempotencyKey }: RetryScope): KeptAnswer | undefined {
    const row = this.#connection
      .query<KeptAnswer, [number, string, string]>(
        `SELECT fingerprint, answer, kept_at AS keptAt FROM kept_answers
        WHERE key_id = ? AND operation = ? AND idempotency_key = ?`,
      )
      .get(keyId, operation, idempotencyKey);
    return row ?? undefined;
  }

  keep({ keyId, operation, idempotencyKey }: RetryScope, kept: KeptAnswer): void {
    this.#connection
      .query(
        `INSERT INTO kept_answers
          (key_id, operation, idempotency_key, fingerprint, answer, kept_at)
        VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(keyId, operation, idempotencyKey, kept.fingerprint, kept.answer, kept.keptAt);
  }

  forget({ keyId, operation, idempotencyKey }: RetryScope): void {
    this.#connection
      .query('DELETE FROM kept_answers WHERE key_id = ? AND operation = ? AND idempotency_key = ?')
      .run(keyId, operation, idempotencyKey);
  }

  forgetBefore(time: number, count: number): number {
    return this.#connection
      .query(
        `DELETE FROM kept_answers WHERE (key_id, operation, idempotency_key) IN (
          SELECT key_id, operation, idempotency_key FROM kept_answers WHERE kept_at < ? LIMIT ?
        )`,
      )
      .run(time, count).changes;
  }
}
