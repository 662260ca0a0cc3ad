import type { MaybePromise } from '../maybe-promise.ts';

/** Which request a kept answer belongs to: the same Idempotency-Key means nothing to another caller or operation. */
export interface RetryScope {
  readonly keyId: number;
  /** Method and path, such as `POST /v1/pets`. */
  readonly operation: string;
  readonly idempotencyKey: string;
}

export interface KeptAnswer {
  /** SHA-256 of the request's body. */
  readonly fingerprint: Uint8Array;
  readonly answer: Uint8Array;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly keptAt: number;
}

/** Where first answers are kept, within a transaction. Failures are thrown as `StorageError`. */
export interface KeptAnswerStore {
  find(scope: RetryScope): MaybePromise<KeptAnswer | undefined>;

  /** Keeps an answer, where none is kept. */
  keep(scope: RetryScope, kept: KeptAnswer): MaybePromise<void>;

  forget(scope: RetryScope): MaybePromise<void>;

  /** Forgets at most `count` answers that were kept before a time. Returns how many. */
  forgetBefore(time: number, count: number): MaybePromise<number>;
}
