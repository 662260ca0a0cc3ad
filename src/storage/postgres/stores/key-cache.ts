import type { ApiKey } from '../../../api-keys/api-key.ts';
import type { ApiKeyReader } from '../../../api-keys/api-key-store.ts';
import { monotonicMs } from '../../../clock.ts';
import { chain, type MaybePromise } from '../../../maybe-promise.ts';

interface Known {
  readonly key: ApiKey;
  readonly expiresAtMs: number;
}

/** More keys than are in use at once: they are forgotten together when there are more. */
const MAX_KNOWN = 10_000;

/**
 * Remembers keys for a few seconds, so that a request does not ask for its caller's. A key that
 * another instance revokes therefore holds for as long at most; one that is unknown is looked for
 * every time, so a new key holds at once.
 */
export class KeyCache {
  readonly #known = new Map<string, Known>();
  /** How often all was forgotten: an answer that was asked for before may tell of what has ended. */
  #generation = 0;

  constructor(readonly forMs: number) {}

  /** A reader that looks here before it asks `reader`. */
  inFrontOf(reader: ApiKeyReader): ApiKeyReader {
    return {
      findById: (id) => reader.findById(id),
      list: (afterId, count) => reader.list(afterId, count),
      findByHash: (hash) => this.#find(hash, reader),
    };
  }

  /** Forgets all: a key was ended here. */
  clear(): void {
    this.#known.clear();
    this.#generation += 1;
  }

  #find(hash: Uint8Array, reader: ApiKeyReader): MaybePromise<ApiKey | undefined> {
    const name = Buffer.from(hash).toString('latin1');
    const known = this.#known.get(name);
    const askedMs = monotonicMs();
    const generation = this.#generation;
    if (known !== undefined && askedMs < known.expiresAtMs) return known.key;
    return chain(reader.findByHash(hash), (key) => {
      if (generation !== this.#generation) return key;
      if (this.#known.size >= MAX_KNOWN) this.clear();
      // Counted from the question: what was true then may have been changed since.
      if (key === undefined) this.#known.delete(name);
      else this.#known.set(name, { key, expiresAtMs: askedMs + this.forMs });
      return key;
    });
  }
}
