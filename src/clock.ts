/**
 * The only source of time. Code that depends on the date takes a `Clock`. A test can then set the time before or after a sunset
 * or an expiry.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/**
 * Whether the time is before `ms`, in milliseconds since 1970-01-01T00:00:00Z. It does not read the clock if `ms` is
 * infinite: most API keys and responses never expire.
 */
export const isBefore = (clock: Clock, ms: number): boolean =>
  ms === Number.POSITIVE_INFINITY || clock.now() < ms;

export const DAY_MS = 86_400_000;

/** A time in milliseconds since 1970-01-01T00:00:00Z as RFC 3339 in UTC. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** The day of a time, in UTC, as RFC 3339 full-date. */
export const toIsoDate = (ms: number): string => toIso(ms).slice(0, 10);

/** `date-time` of RFC 3339 §5.6: `t` and `z` may be in lower case, and a second can be the 60th. */
const TIME =
  /^(\d{4}-\d\d-\d\d)t((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/**
 * Parses a time of RFC 3339, for everything that takes one. Returns the first whole millisecond since 1970-01-01T00:00:00Z that
 * is not before it. Undefined if the text is no such time. A leap second is allowed at the end of a month in UTC only. It
 * counts as the next second: no other number exists for it.
 */
export function parseTime(text: string): number | undefined {
  const [, date = '', minute = '', second, fraction = '', sign, hours, minutes] =
    TIME.exec(text) ?? [];
  if (second === undefined || !isCalendarDate(date)) return undefined;
  const offsetMinutes =
    sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const start =
    Date.parse(`${date}T${minute}:00Z`) - offsetMinutes * 60_000 + Number(second) * 1000;
  if (second === '60' && !toIso(start).endsWith('-01T00:00:00.000Z')) return undefined;
  const isBetween = /[1-9]/.test(fraction.slice(3));
  return start + Number(fraction.slice(0, 3).padEnd(3, '0')) + (isBetween ? 1 : 0);
}

/** Whether a date `YYYY-MM-DD` is in the calendar. `Date.parse` accepts 30 February as 2 March. */
function isCalendarDate(date: string): boolean {
  const start = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(start) && toIso(start).startsWith(date);
}

/** Measures durations. Setting the system time does not affect it. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment. It never goes backwards. */
  monotonicMs(): number;
}

/** The time of the monotonic clock in milliseconds, for durations only. */
export const monotonicMs = (): number => performance.now();

export const systemClock: Clock & MonotonicClock = { now: () => Date.now(), monotonicMs };
