import { SCOPES, type Scope } from '../http/contract/scopes.ts';

/** The two environments, each with keys of its own. */
export type Environment = 'production' | 'staging';

export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** Enough of the key to recognise it by: its prefix and its last four characters. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  /** Times in milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The expiry that it was made with: a rotation ends a key earlier, and its successor inherits this. */
  readonly grantedUntil: number | null;
  readonly revokedAt: number | null;
  /** When its rotation ends it; null: it has no successor. */
  readonly rotatedUntil: number | null;
}

/** What is stored of a new key. The key itself never is. */
export type NewApiKey = Omit<ApiKey, 'id' | 'grantedUntil' | 'revokedAt' | 'rotatedUntil'> & {
  readonly hash: Uint8Array;
};

/** What a key may do when nobody said otherwise: all but manage keys. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'keys:admin');

export const isUsable = (key: ApiKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);

/**
 * The form of a key: a prefix that secret scanners know it by, 30 random characters (178 bits)
 * and a checksum of six, so that a typing error is told apart without asking the storage.
 */
const PREFIXES: Record<Environment, string> = { production: 'ask_live_', staging: 'ask_test_' };
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Fills an array with random bytes, as `crypto.getRandomValues` does. */
export type RandomBytes = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;

/** Makes a new secret key. */
export function generateKey(environment: Environment, randomBytes: RandomBytes): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(new Uint8Array(RANDOM_LENGTH))) {
      // 248 is the largest multiple of 62 in a byte: beyond it some characters would be likelier.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET[byte % ALPHABET.length];
    }
  }
  const body = PREFIXES[environment] + random;
  return body + checksum(body);
}

/** Whether a text has the form of this environment's keys and a checksum that holds. */
export function isWellFormedKey(text: string, environment: Environment): boolean {
  const prefix = PREFIXES[environment];
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  return text.startsWith(prefix) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** SHA-256 of the whole key. Its 178 random bits need no salt and no slow hash. */
export const hashKey = (key: string): Uint8Array => Bun.SHA256.hash(key) as Uint8Array;

export const hintOf = (key: string): string =>
  `${key.slice(0, PREFIXES.production.length)}…${key.slice(-4)}`;

/** CRC-32 in base62, most significant digit first. */
function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
