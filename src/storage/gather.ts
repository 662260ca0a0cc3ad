import { monotonicMs } from '../clock.ts';

/**
 * So many turns of the event loop without another one mean that no more are about to come. A turn
 * is short while little is going on. While many read it is long, and each batch that waits for the
 * disk keeps them waiting, too: fewer and larger ones are then better for all.
 */
const QUIET_TURNS = 4;

/** However many come, gathering ends with the turn in which so much time is over. */
const LONGEST_MS = 10;

/**
 * Resolves when what waits to be done together has gathered: requests that have arrived, or are
 * about to, take part. While each few turns of the event loop bring more, the next may, too.
 * @param most when so many wait, more need not be waited for.
 * @param nowMs the monotonic clock.
 */
export async function gather(
  waiting: { readonly length: number },
  most: number,
  nowMs: () => number = monotonicMs,
): Promise<void> {
  const latestMs = nowMs() + LONGEST_MS;
  for (let quiet = 0; quiet < QUIET_TURNS && waiting.length < most; ) {
    const before = waiting.length;
    await new Promise(setImmediate);
    if (nowMs() >= latestMs) return;
    quiet = waiting.length > before ? 0 : quiet + 1;
  }
}
