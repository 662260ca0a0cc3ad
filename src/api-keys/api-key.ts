import { isObeyedByTerminals } from '../control-characters.ts';
import type { Scope } from '../http/contract/scopes.ts';
import { nameProblem } from '../name-problem.ts';

/** The environments. Each has its own API keys. */
export type Environment = 'production' | 'staging';

export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** The prefix and the last four characters of the key, to recognise it. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  /** Times in milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The expiry at creation. A rotation shortens `expiresAt`, and the successor gets this one. */
  readonly grantedUntil: number | null;
  readonly revokedAt: number | null;
  /** When it expires because of a rotation; null: it has no successor. */
  readonly rotatedUntil: number | null;
}

/** What is stored of a new key: never the key itself. */
export type NewApiKey = Omit<ApiKey, 'id' | 'grantedUntil' | 'revokedAt' | 'rotatedUntil'> & {
  readonly hash: Uint8Array;
};

/** The scopes of a key for which none are named: the least. */
export const DEFAULT_SCOPES: readonly Scope[] = ['pets:read'];

/** The reason why a value cannot be the name of a new key. Operators read these names in a terminal. */
export const apiKeyNameProblem = (name: unknown): string | undefined =>
  nameProblem(name) ??
  (isObeyedByTerminals(String(name)) ? 'must not contain control characters' : undefined);

/** How long a rotated key can stay valid beside its successor. */
export const MAX_GRACE_DAYS = 366;

/** RFC 3339 cannot express it. The last hours of 9999 reach it with a negative offset. */
const YEAR_10000 = Date.UTC(10_000, 0);

/** The reason why a new key cannot expire at a time. Both in milliseconds since 1970-01-01T00:00:00Z. */
export function expiryProblem(time: number, now: number): string | undefined {
  if (time <= now) return 'must be in the future';
  return time >= YEAR_10000 ? 'must be before the year 10000 in UTC' : undefined;
}

export const isUsable = (key: ApiKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);

/**
 * The format of a key: a prefix for secret scanners, 30 random characters (178 bits) and a checksum. The checksum has six
 * characters, and detects a typing error without a query.
 */
const PREFIXES: Record<Environment, string> = { production: 'ask_live_', staging: 'ask_test_' };
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Fills an array with random bytes. */
export type RandomBytes = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;

const SECURE: RandomBytes = (bytes) => crypto.getRandomValues(bytes);

/** Generates a new secret key. */
export function generateKey(environment: Environment, randomBytes = SECURE): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(new Uint8Array(RANDOM_LENGTH))) {
      // 248 is the largest multiple of 62 in a byte. Larger bytes would make some characters more likely.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET[byte % ALPHABET.length];
    }
  }
  const body = PREFIXES[environment] + random;
  return body + checksum(body);
}

/** Whether a text has the format of this environment's keys and a correct checksum. */
export function isWellFormedKey(text: string, environment: Environment): boolean {
  const prefix = PREFIXES[environment];
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  return text.startsWith(prefix) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

const ANY_KEY = new RegExp(
  `^(?:${Object.values(PREFIXES).join('|')})[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** Whether a text has the prefix, length and characters of a key of any environment. The checksum may be wrong. */
export const hasFormOfKey = (text: string): boolean => ANY_KEY.test(text);

/** SHA-256 of the whole key. Its 178 random bits need no salt and no slow hash. */
export const hashKey = (key: string): Uint8Array => Bun.SHA256.hash(key) as Uint8Array;

export const hintOf = (key: string): string =>
  `${key.slice(0, PREFIXES.production.length)}…${key.slice(-4)}`;

/** The environment of a key, by its hint. */
export const environmentOf = ({ hint }: Pick<ApiKey, 'hint'>): Environment =>
  hint.startsWith(PREFIXES.staging) ? 'staging' : 'production';

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
