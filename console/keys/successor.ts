import type { ApiKey } from '../../sdk/src/index.ts';

/**
 * Whether an API key has been rotated. The service does not say so, but a rotation leaves traces: a later key with the same
 * name and scopes. The expiry of this key is absent there, or later, and within the longest grace of seven days.
 */
export const hasSuccessor = (key: ApiKey<string>, others: readonly ApiKey<string>[]): boolean =>
  others.some(
    (other) =>
      other.createdAt > key.createdAt &&
      String([other.name, other.scopes]) === String([key.name, key.scopes]) &&
      (other.expiresAt ?? 'never') > (key.expiresAt ?? 'never') &&
      Date.parse(String(key.expiresAt)) - Date.parse(other.createdAt) <= 7 * 86_400_000,
  );
