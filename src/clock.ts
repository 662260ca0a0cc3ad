/**
 * The only source of time. Everything that depends on the date takes a `Clock`,
 * so that a test can stand on either side of a sunset or an expiry.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds of a clock that never goes backwards: for durations only. */
export const monotonicMs = (): number => performance.now();
