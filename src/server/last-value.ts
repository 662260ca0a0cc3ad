import { setTimeout as sleep } from 'node:timers/promises';
import { shareRuns } from '../maybe-promise.ts';

/** A worker must respond to a scrape within a second. */
const PATIENCE_MS = 500;

/**
 * Returns a function that reads a value of the database for a scrape. Scrapes share a read that has no result yet. If it fails
 * or takes long, the value of the scrape before stays. A database that cannot be read has metrics of its own.
 */
export function lastValue<T>(first: T, read: () => Promise<T>): () => Promise<T> {
  let last = first;
  const readAgain = shareRuns(async () => {
    last = await read();
  });
  return async () => {
    await Promise.race([
      readAgain().catch(() => {}),
      sleep(PATIENCE_MS, undefined, { ref: false }),
    ]);
    return last;
  };
}
