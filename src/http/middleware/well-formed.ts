import { refuse } from '../contract/errors.ts';
import { INVALID_HOST, isValidHost } from '../request/host.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/**
 * Refuses an invalid or repeated Host header, which HTTP forbids and the runtime accepts
 * (RFC 9112 §3.2). Also refuses a request that announces a trailer section because the runtime sends
 * an empty 400 after the service has executed such a request.
 */
export function requireWellFormed(): Middleware {
  // Clients send the same Host with every request, so only a different one is checked.
  let validHost: string | null = null;
  return (request, ctx, next) => {
    const host = request.headers.get('host');
    if (host !== validHost) {
      if (host !== null && !isValidHost(host)) {
        return respondRefusal(ctx, refuse('invalid_request', INVALID_HOST));
      }
      validHost = host;
    }
    if (request.headers.get('trailer') !== null) {
      // The runtime adds an empty 400, which must not count as the response to the next request.
      return respondRefusal(ctx, refuse('invalid_request', TRAILER, { Connection: 'close' }));
    }
    return next(request, ctx);
  };
}

const TRAILER = 'The request must not have a trailer section.';
