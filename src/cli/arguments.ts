import { expiryProblem, MAX_GRACE_DAYS } from '../api-keys/api-key.ts';
import { DAY_MS, parseTime } from '../clock.ts';
import { parseDuration } from '../config/duration.ts';
import { SCOPES, type Scope } from '../http/contract/scopes.ts';
import { UsageError } from './failures.ts';

/** Parses the id of an API key. */
export function parseKeyId(text: string): number {
  const id = /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
  if (id === undefined)
    throw new UsageError('ID must be the number of a key, as shown by `keys list`.');
  return id;
}

export function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  return [...new Set(scopes)].map((name) => {
    const scope = SCOPES.find((known) => known === name);
    if (scope === undefined) {
      throw new UsageError(`--scopes must be some of ${SCOPES.join(', ')}, separated by commas.`);
    }
    return scope;
  });
}

/** A duration before (-1) or after (1) now, a date, or a time of RFC 3339. */
function parseWhen(text: string, now: number, sign: -1 | 1): number | undefined {
  const duration = parseDuration(text);
  if (duration !== undefined) return now + sign * duration;
  return parseTime(text) ?? parseTime(`${text}T00:00:00Z`);
}

/** Parses a past time: a duration until now, a date (its start in UTC), or a time of RFC 3339. */
export function parsePast(flag: string, text: string, now: number): number {
  const time = parseWhen(text, now, -1);
  if (time !== undefined) return time;
  throw new UsageError(`${flag} must be a duration such as 24h, or a date such as 2030-01-31.`);
}

/** Parses a future time: a duration from now, a date (its start in UTC), or a time of RFC 3339. */
export function parseExpiry(text: string, now: number): number {
  const time = parseWhen(text, now, 1);
  if (time === undefined) {
    throw new UsageError(
      '--expires must be a duration such as 90d, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z.',
    );
  }
  const problem = expiryProblem(time, now);
  if (problem !== undefined) throw new UsageError(`--expires ${problem}.`);
  return time;
}

const MAX_GRACE_MS = MAX_GRACE_DAYS * DAY_MS;

export function parseGrace(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration > MAX_GRACE_MS)
    throw new UsageError(
      `--grace must be a duration of at most ${MAX_GRACE_DAYS}d, such as 0s, 30m, 1h or 7d.`,
    );
  return duration;
}
