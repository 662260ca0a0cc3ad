import type { Route } from '../contract/route.ts';
import { CACHE_UNUSED, type Cache, type CachedResponse, type CacheUse } from './cache.ts';
import { type Conditions, UNCONDITIONAL } from './conditions.ts';
import type { Principal } from './principal.ts';

/** The state of one request. Middleware fills in the fields that may be undefined. */
export interface RequestContext {
  /** The client's X-Request-Id, or a generated one. */
  readonly id: string;
  /** In milliseconds of the monotonic clock. */
  readonly arrivedMs: number;
  readonly method: string;
  /** The path, percent-decoded except for reserved characters. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The holder of the API key, after authentication. */
  principal: Principal | undefined;
  /** The requested operation, after routing. */
  route: Route | undefined;
  /** What the request changed, such as `pets/7`; undefined if it changed nothing. */
  resource: string | undefined;
  /** The Link header of a deprecated operation. */
  deprecationLinks: string | undefined;
  /** The conditions on entity tags, after the check of the headers. */
  conditions: Conditions;
  /** The request has `Prefer: handling=strict`, after the check of the headers. */
  isStrict: boolean;
  /** The deadline has passed, and the response says so. */
  isLate: boolean;
  /** The cache of the database's version when the request arrived; undefined outside of `/v1`. */
  cache: Cache | undefined;
  /** The response is to be cached. */
  isCacheable: boolean;
  /** The response to cache, after it was made. */
  cachedResponse: CachedResponse | undefined;
  credentialCache: CacheUse;
  responseCache: CacheUse;
}

/** A client's request id is used if it is safe in a header and in a log. */
const ACCEPTABLE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** An id that contains an API key would put the key into the log. */
const HOLDS_KEY = /ask_(?:live|test)_/i;

export function createContext(
  request: Request,
  arrivedMs: number,
  generateId: () => string,
): RequestContext {
  const clientsId = request.headers.get('x-request-id');
  const { path, query } = splitTarget(request.url);
  return {
    id: clientsId !== null && isAcceptable(clientsId) ? clientsId : generateId(),
    arrivedMs,
    method: request.method,
    path,
    query,
    principal: undefined,
    route: undefined,
    resource: undefined,
    deprecationLinks: undefined,
    conditions: UNCONDITIONAL,
    isStrict: false,
    isLate: false,
    cache: undefined,
    isCacheable: false,
    cachedResponse: undefined,
    credentialCache: CACHE_UNUSED,
    responseCache: CACHE_UNUSED,
  };
}

const isAcceptable = (id: string): boolean => ACCEPTABLE_ID.test(id) && !HOLDS_KEY.test(id);

/**
 * Splits a request's URL. `new URL` would cost more than the rest of the routing. It throws on the bare path that the runtime
 * passes for an unreadable Host header.
 */
export function splitTarget(url: string): { path: string; query: string } {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  const fragment = url.indexOf('#', start);
  const end = fragment === -1 ? url.length : fragment;
  const mark = url.indexOf('?', start);
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    path: decodePath(url.slice(start, pathEnd)),
    query: url.slice(pathEnd + 1, end),
  };
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
