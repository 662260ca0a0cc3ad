import { setTimeout as sleep } from 'node:timers/promises';
import { shareRuns } from '../maybe-promise.ts';

/**
 * Returns a function that reads a value of the database for a scrape. Scrapes share a read that has no result yet. If it fails
 * or takes longer than the patience, the value is that of the scrape before: a database that cannot be read has metrics of its own.
 */
export function lastValue<T>(
  first: T,
  patienceMs: number,
  read: () => Promise<T>,
): () => Promise<T> {
  let last = first;
  const readAgain = shareRuns(async () => {
    last = await read();
  });
  return async () => {
    await Promise.race([readAgain().catch(() => {}), sleep(patienceMs, undefined, { ref: false })]);
    return last;
  };
}
