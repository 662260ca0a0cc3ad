import { refuse } from './errors.ts';

/** The refusals of authentication and authorization, with the challenge that RFC 6750 §3 requires. */

const REALM = 'Bearer realm="animal-store"';

export const credentialMissing = () =>
  refuse('credential_missing', undefined, { 'WWW-Authenticate': REALM });

export const credentialInvalid = () =>
  refuse('credential_invalid', undefined, {
    'WWW-Authenticate': `${REALM}, error="invalid_token"`,
  });

export const scopeMissing = (scope: string) =>
  refuse('scope_missing', `The API key does not have the scope ${scope}.`, {
    'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"`,
  });
