import { chain } from '../../maybe-promise.ts';
import { METHODS } from '../request/methods.ts';
import { respond } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/** All request headers that the service reads and that a browser asks about. A test compares them with what it reads. */
const REQUEST_HEADERS =
  'Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, traceparent, X-Request-Id';
/** All response headers that pages cannot read by default (Fetch Standard). */
const EXPOSED_HEADERS =
  'Accept, Accept-Patch, Allow, Content-Encoding, Content-Security-Policy, Date, Deprecation, ETag, ' +
  'Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Referrer-Policy, ' +
  'Retry-After, Sunset, Vary, WWW-Authenticate, X-Accel-Buffering, X-Content-Type-Options, X-Request-Id';

/** Browsers repeat a preflight after ten minutes. */
const MAX_AGE_SECONDS = '600';

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers': REQUEST_HEADERS,
  'Access-Control-Max-Age': MAX_AGE_SECONDS,
};

/**
 * Allows pages of the listed origins to read responses (fetch.spec.whatwg.org, CORS protocol). A
 * preflight needs no credential because browsers send none with it. A preflight from another origin
 * is an ordinary request.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  const allowed = new Set(origins);
  return (request, ctx, next) => {
    const origin = request.headers.get('origin');
    const isAllowed = origin !== null && allowed.has(origin);
    const isPreflight =
      isAllowed && ctx.method === 'OPTIONS' && request.headers.has('access-control-request-method');
    const result = isPreflight ? respond(ctx, 204, PREFLIGHT_HEADERS) : next(request, ctx);
    return chain(result, (response) => {
      // Even if the origin is not allowed: a shared cache must not send this response to an allowed one.
      response.headers.append('Vary', 'Origin');
      if (isAllowed) {
        response.headers.set('Access-Control-Allow-Origin', origin);
        response.headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      }
      return response;
    });
  };
}
