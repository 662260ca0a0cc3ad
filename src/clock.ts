/**
 * The only source of time. Code that depends on the date takes a `Clock`, so that a test can set the
 * time before or after a sunset or an expiry.
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

/** A time in milliseconds since 1970-01-01T00:00:00Z as RFC 3339 in UTC. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** Measures durations. Setting the system time does not affect it. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment. It never goes backwards. */
  monotonicMs(): number;
}

/** The time of the monotonic clock in milliseconds, for durations only. */
export const monotonicMs = (): number => performance.now();

export const systemClock: Clock & MonotonicClock = { now: () => Date.now(), monotonicMs };
