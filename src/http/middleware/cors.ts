import { chain } from '../../maybe-promise.ts';
import { respond } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id';
/** Every header of an answer that the Fetch Standard does not let pages read anyway. */
const EXPOSED_HEADERS =
  'Accept, Accept-Patch, Allow, Content-Security-Policy, Date, Deprecation, ETag, Idempotency-Replayed, Link, ' +
  'Location, Preference-Applied, RateLimit, RateLimit-Policy, Referrer-Policy, Retry-After, Sunset, Vary, ' +
  'WWW-Authenticate, X-Content-Type-Options, X-Request-Id';

/** A browser asks again after ten minutes at the latest whether it may. */
const MAX_AGE_SECONDS = '600';

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': METHODS,
  'Access-Control-Allow-Headers': REQUEST_HEADERS,
  'Access-Control-Max-Age': MAX_AGE_SECONDS,
};

/**
 * Lets pages of the listed origins read answers (fetch.spec.whatwg.org, CORS protocol). A
 * preflight is answered without a credential, since browsers send none with it; one of another
 * origin is a request like any other.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  const allowed = new Set(origins);
  return (request, ctx, next) => {
    const origin = request.headers.get('origin');
    const isAllowed = origin !== null && allowed.has(origin);
    const isPreflight =
      isAllowed && ctx.method === 'OPTIONS' && request.headers.has('access-control-request-method');
    const answer = isPreflight
      ? respond(ctx, 204, undefined, undefined, PREFLIGHT_HEADERS)
      : next(request, ctx);
    return chain(answer, (response) => {
      // Also where the origin is not allowed: a shared cache must not give this answer to one that is.
      response.headers.append('Vary', 'Origin');
      if (isAllowed) {
        response.headers.set('Access-Control-Allow-Origin', origin);
        response.headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      }
      return response;
    });
  };
}
