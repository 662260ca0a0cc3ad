import type { Clock } from '../clock.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { Principal } from './context.ts';
import { Refusal, refuse } from './errors.ts';
import { respondRefusal } from './respond.ts';
import type { Stage } from './stage.ts';

/** Finds who holds a key that is valid now. */
export type VerifyKey = (key: string) => MaybePromise<Principal | undefined>;

const REALM = 'Bearer realm="animal-store"';

/** The scheme in any case, then one token of RFC 6750's alphabet. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const OTHER_SCHEME = /^(?!bearer(?: |$))[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)/i;

/**
 * Establishes who sends a request (specification: Authentication), before anything else is
 * said about it. The answer to a credential that does not hold is one and the same, whatever is
 * wrong with it. One of another scheme is answered as none, as RFC 6750 §3 has it.
 */
export function authenticated(verifyKey: VerifyKey, clock: Clock): Stage {
  return (request, ctx, next) => {
    const header = request.headers.get('authorization');
    const known = header === null ? undefined : ctx.memory?.principalOf(header);
    if (known !== undefined && clock.now() < known.untilMs) {
      ctx.principal = known;
      return next(request, ctx);
    }
    return chain(authenticate(header, verifyKey), (result) => {
      if (result instanceof Refusal) return respondRefusal(ctx, result);
      ctx.principal = result;
      if (header !== null) ctx.memory?.rememberPrincipal(header, result);
      return next(request, ctx);
    });
  };
}

function authenticate(
  header: string | null,
  verifyKey: VerifyKey,
): MaybePromise<Principal | Refusal> {
  if (header === null || OTHER_SCHEME.test(header)) {
    return refuse('credential_missing', undefined, { 'WWW-Authenticate': REALM });
  }
  const key = BEARER.exec(header)?.[1];
  if (key === undefined) return invalid();
  return chain(verifyKey(key), (principal) => principal ?? invalid());
}

const invalid = () =>
  refuse('credential_invalid', undefined, {
    'WWW-Authenticate': `${REALM}, error="invalid_token"`,
  });

/** Refuses a principal that lacks the scope (RFC 6750 §3.1). */
export const scopeMissing = (scope: string) =>
  refuse('scope_missing', `The API key does not have the scope ${scope}.`, {
    'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"`,
  });
