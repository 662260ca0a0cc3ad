import type { ApiKey } from '../../sdk/src/index.ts';

/**
 * Whether an API key has been rotated. The service does not say so, but a rotation leaves traces: a later key with the same
 * name and scopes. The expiry of this key is absent there, or later, and within the longest grace of seven days.
 */
export const hasSuccessor = (
  { name, scopes, createdAt, expiresAt = '' }: ApiKey<string>,
  others: readonly ApiKey<string>[],
): boolean =>
  others.some(
    (other) =>
      other.createdAt > createdAt &&
      String([other.name, other.scopes]) === String([name, scopes]) &&
      (other.expiresAt ?? 'never') > expiresAt &&
      Date.parse(expiresAt) - Date.parse(other.createdAt) <= 7 * 86_400_000,
  );
