import type { Route } from '../contract/route.ts';
import type { Principal } from './principal.ts';

/** A response 200 of an operation, cached to be sent again. */
export interface CachedResponse {
  readonly route: Route;
  readonly body: string;
  readonly headers: Headers;
}

/** The entry of one request. The response is cached from the second time on that the request arrives. */
interface Entry {
  readonly keyId: number;
  readonly url: string;
  response: CachedResponse | undefined;
  /** The changes of what the response was read from, when it was cached. */
  changes: number;
}

/** What a request found in a cache. The numbers are indexes of counters. */
export const CACHE_UNUSED = 0;
export const CACHE_HIT = 1;
export const CACHE_MISS = 2;
export type CacheUse = typeof CACHE_UNUSED | typeof CACHE_HIT | typeof CACHE_MISS;

const MAX_CREDENTIALS = 10_000;

/** Longer than any header with a key and a single space. The limit of all headers is 16 KiB, too much for each entry. */
const MAX_AUTHORIZATION_LENGTH = 256;

/** A power of two. */
const ENTRIES = 256;

/**
 * The credentials and responses of one version of the database. A response to a read depends on the API key, the URL, strict
 * handling and the database alone. The first new version ends the whole cache. A write that declares what it changes ends
 * the responses that it concerns. A request saves into the cache that it began with: the next one has nothing from before
 * the change.
 */
export class Cache {
  /** The principals by Authorization header. Expiry is checked for each request. */
  readonly #principals = new Map<string, Principal>();

  readonly #entries: (Entry | undefined)[] = new Array(ENTRIES);

  findPrincipal(authorization: string): Principal | undefined {
    return this.#principals.get(authorization);
  }

  savePrincipal(authorization: string, principal: Principal): void {
    // One key has many spellings: spaces before it, the scheme in any case.
    if (authorization.length > MAX_AUTHORIZATION_LENGTH) return;
    if (this.#principals.size >= MAX_CREDENTIALS) this.#principals.clear();
    this.#principals.set(authorization, principal);
  }

  /**
   * The entry of a request, if the last lookup of its slot was for the same request. Otherwise the request takes the slot.
   * Slots are few: many distinct requests replace each other and need no memory. A repeated request finds its entry. A strict
   * request has the slot at the other end: with an even number of slots, never that of the same request without strict
   * handling.
   */
  findEntry(keyId: number, url: string, isStrict: boolean): Entry | undefined {
    const slot = isStrict ? ENTRIES - 1 - slotOf(url) : slotOf(url);
    const entry = this.#entries[slot];
    if (entry?.url === url && entry.keyId === keyId) return entry;
    this.#entries[slot] = { keyId, url, response: undefined, changes: 0 };
    return undefined;
  }
}

/** URLs differ mostly at their ends. */
function slotOf(url: string): number {
  let hash = url.length;
  for (let index = hash - 1, last = Math.max(0, hash - 8); index >= last; index -= 1) {
    hash = (hash * 31 + url.charCodeAt(index)) | 0;
  }
  return (hash ^ (hash >>> 8)) & (ENTRIES - 1);
}
