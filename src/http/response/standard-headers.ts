/** What answers carry wherever they come from. Constant, so that a response takes a copy of all of it at once. */

/** A browser must not take the content for another type than Content-Type names. */
const EVERYWHERE = { 'X-Content-Type-Options': 'nosniff' };

/**
 * Below /v1 an answer belongs to one caller (RFC 9111): no shared cache stores it, and the caller's own cache asks
 * whether it still holds. `Vary` protects callers from a shared cache that stores answers all the same.
 */
export const VERSIONED_HEADERS = {
  ...EVERYWHERE,
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization',
};

/** Health and refusals outside /v1 tell of a moment. */
const OUTSIDE_HEADERS = { ...EVERYWHERE, 'Cache-Control': 'no-store' };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const VERSIONED = new Headers(VERSIONED_HEADERS);
const VERSIONED_JSON = new Headers({ ...VERSIONED_HEADERS, ...JSON_TYPE });
const OUTSIDE = new Headers(OUTSIDE_HEADERS);
const OUTSIDE_JSON = new Headers({ ...OUTSIDE_HEADERS, ...JSON_TYPE });

export const isVersioned = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** The headers of an answer that belongs to no operation. */
export function standardHeaders(path: string, isJson: boolean): Headers {
  if (isVersioned(path)) return isJson ? VERSIONED_JSON : VERSIONED;
  return isJson ? OUTSIDE_JSON : OUTSIDE;
}
