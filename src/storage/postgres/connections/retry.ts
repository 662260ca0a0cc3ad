import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, remainingMs } from './deadline.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

/**
 * Waits before the next attempt: longer each time, and differently long, so that those who got
 * into each other's way do not meet again. False, at once, when there is no time for another.
 */
export async function pauseBeforeRetry(attempt: number, deadline: Deadline): Promise<boolean> {
  const pauseMs =
    Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random());
  if (pauseMs >= remainingMs(deadline)) return false;
  await sleep(pauseMs);
  return true;
}
