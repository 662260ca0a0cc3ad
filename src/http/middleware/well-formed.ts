import { refuse } from '../contract/errors.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/**
 * `uri-host [":" port]` (RFC 9112 §3.2, RFC 3986 §3.2.2), or empty. The runtime joins two Host
 * headers with a comma and a space, which no host contains.
 */
const HOST =
  /^(?:(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*|\[[0-9A-Fa-f:.]+\]|\[v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\])(?::[0-9]*)?$/;

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
      if (host !== null && !HOST.test(host)) {
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

const INVALID_HOST = 'The request must have exactly one valid Host header.';
const TRAILER = 'The request must not have a trailer section.';
