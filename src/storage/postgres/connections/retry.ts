import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, remainingMs } from './deadline.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

/**
 * Waits before the next attempt: exponential backoff with jitter, so that conflicting transactions
 * do not retry at the same moment. Returns false, without waiting, if the deadline is too close.
 */
export async function pauseBeforeRetry(attempt: number, deadline: Deadline): Promise<boolean> {
  const pauseMs =
    Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random());
  if (pauseMs >= remainingMs(deadline)) return false;
  await sleep(pauseMs);
  return true;
}
