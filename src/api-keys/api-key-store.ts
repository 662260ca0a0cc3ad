import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

/** An API key with the time of its last use, null if never. Accurate to the interval at which usage is written. */
export type ListedApiKey = ApiKey & { readonly lastUsedAt: number | null };

/** Reads API keys. Failures are thrown as `StorageError`. */
export interface ApiKeyReader {
  findByHash(hash: Uint8Array): MaybePromise<ApiKey | undefined>;
  findById(id: number): MaybePromise<ApiKey | undefined>;

  /** The first `count` keys after `afterId` (undefined: from the beginning), ascending by id. Expired and revoked keys are included. */
  list(afterId: Int64 | undefined, count: number): MaybePromise<ListedApiKey[]>;

  /** When the next key expires that is valid now and has no successor, in milliseconds since 1970-01-01T00:00:00Z. */
  nextExpiry(now: number): MaybePromise<number | undefined>;
}

/** Reads and changes API keys within a transaction. */
export interface ApiKeyStore extends ApiKeyReader {
  create(key: NewApiKey): MaybePromise<ApiKey>;

  /** Adds a key if there is none at all. Of simultaneous calls one succeeds. */
  createFirst(key: NewApiKey): MaybePromise<ApiKey | undefined>;

  /** Lets a key expire at a time, in milliseconds since 1970-01-01T00:00:00Z, unless it expires earlier. */
  endBy(id: number, time: number): MaybePromise<void>;

  /** Revokes a key. A key that is already revoked keeps its earlier time. */
  revoke(id: number, revokedAt: number): MaybePromise<void>;
}
