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
const OUTSIDE_HEADERS = { ...COMMON, 'Cache-Control': 'no-store' };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const VERSIONED = new Headers(VERSIONED_HEADERS);
const VERSIONED_JSON = new Headers({ ...VERSIONED_HEADERS, ...JSON_TYPE });
const OUTSIDE = new Headers(OUTSIDE_HEADERS);
const OUTSIDE_JSON = new Headers({ ...OUTSIDE_HEADERS, ...JSON_TYPE });

export const isVersioned = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** The headers of a response that belongs to no operation. */
export function standardHeaders(path: string, isJson: boolean): Headers {
  if (isVersioned(path)) return isJson ? VERSIONED_JSON : VERSIONED;
  return isJson ? OUTSIDE_JSON : OUTSIDE;
}
