import type { ApiKey } from '../../sdk/src/index.ts';

type Key = ApiKey<string>;

/**
 * Whether an API key has been rotated. The service does not say so, but a rotation leaves traces: a later key with the
 * same name and scopes, and an expiry that this one has not, or has later.
 */
export const hasSuccessor = (key: Key, others: readonly Key[]): boolean =>
  key.expiresAt !== undefined &&
  others.some((other) => isSuccessor(other, key, key.expiresAt ?? ''));

function isSuccessor(other: Key, key: Key, end: string): boolean {
  const isLater = BigInt(other.id) > BigInt(key.id);
  const isAlike = other.name === key.name && String(other.scopes) === String(key.scopes);
  return isLater && isAlike && (other.expiresAt === undefined || other.expiresAt > end);
}
