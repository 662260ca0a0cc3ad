import type { MaybePromise } from '../maybe-promise.ts';

/** What identifies a record. An Idempotency-Key is specific to one API key and one operation. */
export interface IdempotencyScope {
  readonly keyId: number;
  /** Method and path, such as `POST /v1/pets`. */
  readonly operation: string;
  readonly idempotencyKey: string;
}

export interface IdempotencyRecord {
  /** SHA-256 of the request's body. */
  readonly fingerprint: Uint8Array;
  /** The first response, encrypted. */
  readonly response: Uint8Array;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly savedAt: number;
}

/** The idempotency records, within a transaction. Failures are thrown as `StorageError`. */
export interface IdempotencyRecordStore {
  find(scope: IdempotencyScope): MaybePromise<IdempotencyRecord | undefined>;

  /** Saves a record. There must be none with this scope. */
  save(scope: IdempotencyScope, record: IdempotencyRecord): MaybePromise<void>;

  delete(scope: IdempotencyScope): MaybePromise<void>;

  /** Deletes at most `count` records that were saved before a time. Returns how many. */
  deleteBefore(time: number, count: number): MaybePromise<number>;
}
