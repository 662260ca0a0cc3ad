import { type Clock, isBefore } from '../../clock.ts';
import type { Route } from '../contract/route.ts';
import { CACHE_HIT, CACHE_MISS, Cache, type CachedResponse } from '../request/cache.ts';
import { UNCONDITIONAL } from '../request/conditions.ts';
import type { RequestContext } from '../request/context.ts';
import { respondCached } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/**
 * Gives each request the cache of the current version of the database.
 * @param version changes when what is cached may have changed.
 */
export function attachCache(version: () => number): Middleware {
  let cache = new Cache();
  let cachedVersion = Number.NaN;
  return (request, ctx, next) => {
    const current = version();
    if (current !== cachedVersion) {
      cache = new Cache();
      cachedVersion = current;
    }
    ctx.cache = cache;
    return next(request, ctx);
  };
}

/**
 * Sends the cached response if the same request arrived before and nothing has changed since.
 * @param changesOf a number that grows when a write without a new version has changed what an operation reads.
 */
export function cacheResponses(clock: Clock, changesOf: (route: Route) => number): Middleware {
  return (request, ctx, next) => {
    const { cache, principal } = ctx;
    if (cache === undefined || principal === undefined || !isPlainRead(request, ctx)) {
      return next(request, ctx);
    }
    const entry = cache.findEntry(principal.keyId, request.url, ctx.isStrict);
    ctx.responseCache = CACHE_MISS;
    if (entry === undefined) return next(request, ctx);
    const { response } = entry;
    if (
      response !== undefined &&
      isBefore(clock, expiryOf(response)) &&
      changesOf(response.route) === entry.changes
    ) {
      ctx.responseCache = CACHE_HIT;
      return respondCached(ctx, response);
    }
    ctx.isCacheable = true;
    const made = next(request, ctx);
    // A search that took several turns of the event loop has read several versions.
    if (made instanceof Promise) return made;
    entry.response = ctx.cachedResponse;
    // Nothing can change between a read at once and this line.
    if (entry.response !== undefined) entry.changes = changesOf(entry.response.route);
    return made;
  };
}

/** When the operation is removed and responds otherwise, in milliseconds since 1970-01-01T00:00:00Z. */
const expiryOf = ({ route }: CachedResponse): number =>
  route.operation.deprecation?.sunset.getTime() ?? Number.POSITIVE_INFINITY;

/** Whether the response depends on the URL, the key and strict handling alone. */
const isPlainRead = ({ method }: Request, { conditions }: RequestContext): boolean =>
  method === 'GET' && conditions === UNCONDITIONAL;
