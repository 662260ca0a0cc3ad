import type {
  IdempotencyRecord,
  IdempotencyRecordStore,
  IdempotencyScope,
} from '../../../idempotency/idempotency-record-store.ts';
import type { Run } from '../transactions/transactions.ts';

const MATCHES = 'key_id = $1 AND operation = $2 AND idempotency_key = $3';

const valuesOf = ({ keyId, operation, idempotencyKey }: IdempotencyScope) => [
  keyId,
  operation,
  idempotencyKey,
];

export class PostgresIdempotencyRecordStore implements IdempotencyRecordStore {
  constructor(readonly run: Run) {}

  async find(scope: IdempotencyScope): Promise<IdempotencyRecord | undefined> {
    const [row] = await this.run<IdempotencyRecord>(
      `SELECT fingerprint, response, saved_at AS "savedAt" FROM animal_store.idempotency_records
      WHERE ${MATCHES} FOR UPDATE`,
      valuesOf(scope),
    );
    return row;
  }

  /** If two transactions save the same record, one fails, is run again and then finds the record of the other. */
  async save(
    scope: IdempotencyScope,
    { fingerprint, response, savedAt }: IdempotencyRecord,
  ): Promise<void> {
    await this.run(
      `INSERT INTO animal_store.idempotency_records
        (key_id, operation, idempotency_key, fingerprint, response, saved_at)
      VALUES ($1, $2, $3, $4, $5, $6)`,
      [...valuesOf(scope), fingerprint, response, savedAt],
    );
  }

  async delete(scope: IdempotencyScope): Promise<void> {
    await this.run(
      `DELETE FROM animal_store.idempotency_records WHERE ${MATCHES}`,
      valuesOf(scope),
    );
  }

  async deleteBefore(time: number, count: number): Promise<number> {
    const { count: deleted } = await this.run(
      `DELETE FROM animal_store.idempotency_records WHERE (key_id, operation, idempotency_key) IN (
        SELECT key_id, operation, idempotency_key FROM animal_store.idempotency_records
        WHERE saved_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
      )`,
      [time, count],
    );
    return deleted;
  }
}
