import type {
  KeptAnswer,
  KeptAnswerStore,
  RetryScope,
} from '../../idempotency/kept-answer-store.ts';
import type { Run } from './transactions.ts';

const MATCHES = 'key_id = $1 AND operation = $2 AND idempotency_key = $3';

const valuesOf = ({ keyId, operation, idempotencyKey }: RetryScope) => [
  keyId,
  operation,
  idempotencyKey,
];

export class PostgresKeptAnswerStore implements KeptAnswerStore {
  constructor(readonly run: Run) {}

  async find(scope: RetryScope): Promise<KeptAnswer | undefined> {
    const [row] = await this.run<KeptAnswer>(
      `SELECT fingerprint, answer, kept_at AS "keptAt" FROM animal_store.kept_answers
      WHERE ${MATCHES} FOR UPDATE`,
      valuesOf(scope),
    );
    return row;
  }

  /** Of two at the same moment one fails, is run again, and then finds the other's answer. */
  async keep(scope: RetryScope, { fingerprint, answer, keptAt }: KeptAnswer): Promise<void> {
    await this.run(
      `INSERT INTO animal_store.kept_answers
        (key_id, operation, idempotency_key, fingerprint, answer, kept_at)
      VALUES ($1, $2, $3, $4, $5, $6)`,
      [...valuesOf(scope), fingerprint, answer, keptAt],
    );
  }

  async forget(scope: RetryScope): Promise<void> {
    await this.run(`DELETE FROM animal_store.kept_answers WHERE ${MATCHES}`, valuesOf(scope));
  }

  async forgetBefore(time: number, count: number): Promise<number> {
    const { count: forgotten } = await this.run(
      `DELETE FROM animal_store.kept_answers WHERE (key_id, operation, idempotency_key) IN (
        SELECT key_id, operation, idempotency_key FROM animal_store.kept_answers
        WHERE kept_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
      )`,
      [time, count],
    );
    return forgotten;
  }
}
