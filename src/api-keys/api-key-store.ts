import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

/** An API key with when it was last used, null if never. Known to within the interval at which usage is written. */
export type ListedApiKey = ApiKey & { readonly lastUsedAt: number | null };

/** Where API keys are found. Failures are thrown as `StorageError`. */
export interface ApiKeyReader {
  findByHash(hash: Uint8Array): MaybePromise<ApiKey | undefined>;
  findById(id: number): MaybePromise<ApiKey | undefined>;

  /** The first `count` of all keys ever made with an id greater than `afterId` (undefined: from the beginning), ascending by id. */
  list(afterId: Int64 | undefined, count: number): MaybePromise<ListedApiKey[]>;
}

/** The same, within a transaction that may change them. */
export interface ApiKeyStore extends ApiKeyReader {
  create(key: NewApiKey): MaybePromise<ApiKey>;

  /** Adds a key if there is none at all, however many try at once. */
  createFirst(key: NewApiKey): MaybePromise<ApiKey | undefined>;

  /** Lets a key end at a time, in milliseconds since 1970-01-01T00:00:00Z, unless it ends earlier anyway. */
  endBy(id: number, time: number): MaybePromise<void>;

  /** Ends a key at a time; one that was revoked before keeps its earlier time. */
  revoke(id: number, revokedAt: number): MaybePromise<void>;
}
