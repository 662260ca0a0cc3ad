import type { ApiKey } from '../../../api-keys/api-key.ts';
import type { ApiKeyReader } from '../../../api-keys/api-key-store.ts';
import { monotonicMs } from '../../../clock.ts';
import { chain, type MaybePromise } from '../../../maybe-promise.ts';

interface CacheEntry {
  readonly key: ApiKey;
  readonly expiresAtMs: number;
}

/** More keys than are in use simultaneously. A full cache is cleared. */
const MAX_ENTRIES = 10_000;

/**
 * Caches API keys for some seconds, to save a query per request. A key that another instance revokes
 * stays valid here until its entry expires. Unknown keys are not cached, so a new key is valid
 * immediately.
 */
export class ApiKeyCache {
  readonly #entries = new Map<string, CacheEntry>();
  /** Incremented by `clear`: a result requested before may contain a key as it was before its revocation. */
  #generation = 0;

  constructor(readonly ttlMs: number) {}

  /** Returns `reader` with a cached `findByHash`. */
  wrap(reader: ApiKeyReader): ApiKeyReader {
    return {
      findById: (id) => reader.findById(id),
      list: (afterId, count) => reader.list(afterId, count),
      findByHash: (hash) => this.#find(hash, reader),
    };
  }

  /** Deletes all entries. Called when this instance has revoked a key or set its expiry. */
  clear(): void {
    this.#entries.clear();
    this.#generation += 1;
  }

  #find(hash: Uint8Array, reader: ApiKeyReader): MaybePromise<ApiKey | undefined> {
    const name = Buffer.from(hash).toString('latin1');
    const cached = this.#entries.get(name);
    const requestedAtMs = monotonicMs();
    const generation = this.#generation;
    if (cached !== undefined && requestedAtMs < cached.expiresAtMs) return cached.key;
    return chain(reader.findByHash(hash), (key) => {
      if (generation !== this.#generation) return key;
      if (this.#entries.size >= MAX_ENTRIES) this.clear();
      // The TTL starts with the request: the key may have changed since.
      if (key === undefined) this.#entries.delete(name);
      else this.#entries.set(name, { key, expiresAtMs: requestedAtMs + this.ttlMs });
      return key;
    });
  }
}
