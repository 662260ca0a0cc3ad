import { refuse } from '../contract/errors.ts';
import { readConditions } from '../request/conditions.ts';
import { INVALID_HOST, isValidHost } from '../request/host.ts';
import { prefersStrict } from '../request/preferences.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/**
 * Refuses an invalid or repeated Host header, which HTTP forbids and the runtime accepts (RFC 9112 §3.2). Also refuses a
 * request that announces a trailer section: the runtime would send an empty 400 after its execution. Refuses conditions that
 * cannot be understood, because the client relies on them. Reads how a request wants to be handled.
 * @param conditional whether the conditions on entity tags are read.
 */
export function requireWellFormed(conditional: boolean): Middleware {
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
    if (conditional) {
      const conditions = readConditions(request.headers);
      if (conditions === undefined)
        return respondRefusal(ctx, refuse('invalid_request', CONDITIONS));
      ctx.conditions = conditions;
    }
    ctx.isStrict = prefersStrict(request.headers);
    return next(request, ctx);
  };
}

const CONDITIONS =
  'If-Match and If-None-Match must be * or a list of entity tags in double quotes, such as "31eau7yjpqtkx".';
const TRAILER = 'The request must not have a trailer section.';
