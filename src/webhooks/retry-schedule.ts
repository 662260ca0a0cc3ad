const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses after the first attempt, the second one, and so on. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** So that the deliveries of a receiver that was away do not come at the same moment. */
const JITTER = 0.1;

const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * When a delivery is attempted again. Null: never.
 * @param attempts how many have failed.
 * @param now in milliseconds since 1970-01-01T00:00:00Z, as the result.
 * @param random from 0 to 1.
 * @param retryAfterMs the pause that the receiver asks for.
 */
export function retryAt(
  attempts: number,
  now: number,
  random: number,
  retryAfterMs = 0,
): number | null {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return null;
  const jittered = Math.round(pause * (1 + JITTER * (2 * random - 1)));
  return now + Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
