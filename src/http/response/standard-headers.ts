import { NO_STORE } from '../contract/no-store.ts';
import type { HeaderPair } from '../contract/route.ts';

/** The headers of all responses. They are constant `Headers` objects, which a response copies fast. */

/** Browsers must not guess another type than Content-Type. */
const COMMON = { 'X-Content-Type-Options': 'nosniff' };

/**
 * A response below /v1 is for one client (RFC 9111): no shared cache stores it, and the client's own cache
 * revalidates it before each use. `Vary` protects clients from a shared cache that stores it nevertheless.
 */
export const VERSIONED_HEADERS = {
  ...COMMON,
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization',
};

/** Health and refusals outside /v1 are valid for a moment only. */
const OUTSIDE_HEADERS = { ...COMMON, ...NO_STORE };

export const pairOf = (fields: Readonly<Record<string, string>>): HeaderPair => ({
  headers: new Headers(fields),
  jsonHeaders: new Headers({ ...fields, 'Content-Type': 'application/json' }),
});

const VERSIONED = pairOf(VERSIONED_HEADERS);
const OUTSIDE = pairOf(OUTSIDE_HEADERS);

export const isVersioned = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** The headers of a response that belongs to no operation. */
export const standardHeaders = (path: string): HeaderPair =>
  isVersioned(path) ? VERSIONED : OUTSIDE;
