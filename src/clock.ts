/**
 * The only source of time. Everything that depends on the date takes a `Clock`,
 * so that a test can stand on either side of a sunset or an expiry.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** Measures durations: setting the time of day does not move it. */
export interface MonotonicClock {
  /** Milliseconds since some moment. It never goes backwards. */
  monotonicMs(): number;
}

/** Milliseconds of a clock that never goes backwards: for durations only. */
export const monotonicMs = (): number => performance.now();

export const systemClock: Clock & MonotonicClock = { now: () => Date.now(), monotonicMs };
