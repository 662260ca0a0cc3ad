import type { ApiKey } from '../../sdk/src/index.ts';

/**
 * Whether an API key has been rotated. The service does not say so, but a rotation leaves traces: a later key with the same
 * name and scopes. The expiry of this key is absent there, or later.
 */
export const hasSuccessor = (key: ApiKey<string>, others: readonly ApiKey<string>[]): boolean =>
  others.some(
    ({ id, name, scopes, expiresAt }) =>
      key.expiresAt !== undefined &&
      BigInt(id) > BigInt(key.id) &&
      name === key.name &&
      String(scopes) === String(key.scopes) &&
      (expiresAt === undefined || expiresAt > key.expiresAt),
  );
