import { NO_STORE } from '../contract/no-store.ts';
import type { CommonHeaders, HeaderPair } from '../contract/route.ts';

/** The headers of all responses. */

/** Browsers must not guess another type than Content-Type. */
const COMMON = { 'X-Content-Type-Options': 'nosniff' };

/**
 * A response below /v1 is for one client (RFC 9111): no shared cache stores it, and the client's own cache
 * revalidates it before each use. `Vary` names what it depends on, for the client's cache, and for a shared one that stores it nevertheless.
 */
export const VERSIONED_HEADERS = {
  ...COMMON,
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization, Prefer',
};

/** Health and refusals outside /v1 are valid for a moment only. */
export const OUTSIDE_HEADERS = { ...COMMON, ...NO_STORE };

/** The names and values of header fields. */
export type Fields = Readonly<Record<string, string>>;

export const pairOf = (fields: Fields): HeaderPair => ({
  headers: new SharedHeaders(fields),
  jsonHeaders: new SharedHeaders({ ...fields, 'Content-Type': 'application/json' }),
});

/**
 * Keeps the headers in one `Headers` object. A response copies the object, which is faster than reading a plain one. Its own
 * headers stand in the object meanwhile, because each `Headers` object that a program looks at takes 0.6 µs. They stay until
 * the next response, which mostly has the same ones.
 */
class SharedHeaders implements CommonHeaders {
  readonly #common: Headers;
  readonly #shared: Headers;
  #last: Fields = {};

  constructor(fields: Fields) {
    this.#common = new Headers(fields);
    this.#shared = new Headers(fields);
  }

  withOwn(requestId: string, own: Fields = {}): Headers {
    const headers = this.#shared;
    for (const name in this.#last) if (own[name] === undefined) this.#restore(name);
    this.#last = own;
    headers.set('X-Request-Id', requestId);
    for (const name in own) headers.set(name, own[name] as string);
    return headers;
  }

  #restore(name: string): void {
    const value = this.#common.get(name);
    if (value === null) this.#shared.delete(name);
    else this.#shared.set(name, value);
  }
}

const VERSIONED = pairOf(VERSIONED_HEADERS);
const OUTSIDE = pairOf(OUTSIDE_HEADERS);

export const isVersioned = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** The headers of a response that belongs to no operation. */
export const standardHeaders = (path: string): HeaderPair =>
  isVersioned(path) ? VERSIONED : OUTSIDE;
