import type {
  IdempotencyRecord,
  IdempotencyRecordStore,
  IdempotencyScope,
} from '../../idempotency/idempotency-record-store.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { type Sql, Statement } from '../sql.ts';

const TABLE = 'idempotency_records';
const MATCHES = 'key_id = $1 AND operation = $2 AND idempotency_key = $3';

const FIND = new Statement<IdempotencyRecord>(
  ({ table, lock }) => `SELECT fingerprint, response, saved_at AS "savedAt" FROM ${table(TABLE)}
    WHERE ${MATCHES} ${lock('FOR UPDATE')}`,
);
const SAVE = new Statement(
  ({ table }) => `INSERT INTO ${table(TABLE)}
    (key_id, operation, idempotency_key, fingerprint, response, saved_at)
    VALUES ($1, $2, $3, $4, $5, $6)`,
);
const DELETE = new Statement(({ table }) => `DELETE FROM ${table(TABLE)} WHERE ${MATCHES}`);
const DELETE_BEFORE = new Statement(
  ({ table, lock }) => `DELETE FROM ${table(TABLE)} WHERE (key_id, operation, idempotency_key) IN (
    SELECT key_id, operation, idempotency_key FROM ${table(TABLE)}
    WHERE saved_at < $1 LIMIT $2 ${lock('FOR UPDATE SKIP LOCKED')}
  )`,
);

const valuesOf = ({ keyId, operation, idempotencyKey }: IdempotencyScope) =>
  [keyId, operation, idempotencyKey] as const;

export class StoredIdempotencyRecords implements IdempotencyRecordStore {
  constructor(readonly sql: Sql) {}

  find(scope: IdempotencyScope): MaybePromise<IdempotencyRecord | undefined> {
    return this.sql.find(FIND, ...valuesOf(scope));
  }

  /** If two transactions save the same record, one fails, is run again and then finds the record of the other. */
  save(scope: IdempotencyScope, record: IdempotencyRecord): MaybePromise<void> {
    const { fingerprint, response, savedAt } = record;
    const saved = this.sql.change(SAVE, ...valuesOf(scope), fingerprint, response, savedAt);
    return chain(saved, () => {});
  }

  delete(scope: IdempotencyScope): MaybePromise<void> {
    return chain(this.sql.change(DELETE, ...valuesOf(scope)), () => {});
  }

  deleteBefore(time: number, count: number): MaybePromise<number> {
    return this.sql.change(DELETE_BEFORE, time, count);
  }
}
