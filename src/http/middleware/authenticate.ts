import { type Clock, isBefore } from '../../clock.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { credentialInvalid, credentialMissing } from '../contract/challenges.ts';
import { Refusal } from '../contract/errors.ts';
import { CACHE_HIT, CACHE_MISS } from '../request/cache.ts';
import type { RequestContext } from '../request/context.ts';
import { type Principal, RefusedCredential } from '../request/principal.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/** Finds the holder of a key, if it is valid now. */
export type VerifyKey = (key: string) => MaybePromise<Principal | RefusedCredential>;

/** Reports a credential that was sent and refused. */
export type ReportRefused = (
  request: Request,
  ctx: RequestContext,
  refused: RefusedCredential,
) => void;

/** The scheme in any case, then one token of RFC 6750's alphabet. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const OTHER_SCHEME = /^(?!bearer(?: |$))[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)/i;

/**
 * Authenticates a request (specification: Authentication) before any other check of its content.
 * Every invalid credential gets the same response, whatever is wrong with it. A credential of
 * another scheme counts as missing (RFC 6750 §3).
 */
export function authenticate(
  verifyKey: VerifyKey,
  clock: Clock,
  reportRefused: ReportRefused,
): Middleware {
  return (request, ctx, next) => {
    const header = request.headers.get('authorization');
    const cached = header === null ? undefined : ctx.cache?.findPrincipal(header);
    if (cached !== undefined && isBefore(clock, cached.expiresAtMs)) {
      ctx.principal = cached;
      ctx.credentialCache = CACHE_HIT;
      return next(request, ctx);
    }
    return chain(verify(header, verifyKey), (result) => {
      if (result instanceof Refusal) return respondRefusal(ctx, result);
      if (result instanceof RefusedCredential) {
        reportRefused(request, ctx, result);
        return respondRefusal(ctx, credentialInvalid());
      }
      ctx.principal = result;
      if (header !== null && ctx.cache !== undefined) {
        ctx.cache.savePrincipal(header, result);
        ctx.credentialCache = CACHE_MISS;
      }
      return next(request, ctx);
    });
  };
}

function verify(
  header: string | null,
  verifyKey: VerifyKey,
): MaybePromise<Principal | RefusedCredential | Refusal> {
  if (header === null || OTHER_SCHEME.test(header)) return credentialMissing();
  const key = BEARER.exec(header)?.[1];
  return key === undefined ? new RefusedCredential('malformed') : verifyKey(key);
}
