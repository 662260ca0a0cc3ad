import type { MaybePromise } from '../maybe-promise.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

/** An API key with when it was last used, null if never. Known to within the interval at which usage is written. */
export type ListedApiKey = ApiKey & { readonly lastUsedAt: number | null };

/** Where API keys are kept. Failures are thrown as `StorageError`. */
export interface ApiKeyStore {
  findByHash(hash: Uint8Array): MaybePromise<ApiKey | undefined>;
  findById(id: number): MaybePromise<ApiKey | undefined>;

  /** Every key ever made, ascending by id. */
  list(): MaybePromise<ListedApiKey[]>;

  create(key: NewApiKey): Promise<ApiKey>;

  /** Adds a key only if there is none at all; undefined otherwise. Of several callers one succeeds. */
  createFirst(key: NewApiKey): Promise<ApiKey | undefined>;

  /** Adds `successor` and lets the key `id` expire at `expiresAt`, both or, when that key is revoked or not there, neither. */
  replace(id: number, expiresAt: number, successor: NewApiKey): Promise<ApiKey | undefined>;

  /** Ends a key at a time; one that was revoked before keeps its earlier time. */
  revoke(id: number, revokedAt: number): Promise<void>;
}
