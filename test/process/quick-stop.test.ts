/** A shutdown waits only for requests: no timer delays the exit of the process. */
import { test as attempted, expect } from 'bun:test';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { type RunningService, startService, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { childrenOf } from './children.ts';

const place = useEach(workplace);

/** A timer would delay every stop, and a busy machine delays some. */
const test = (name: string, stop: () => Promise<void>) => attempted(name, stop, { retry: 9 });

/** Much longer than an idle shutdown takes, and shorter than any timer that could delay it. */
const SHUTDOWN_LIMIT_MS = 500;

/** Stops the service, and returns the duration in milliseconds. */
async function measureStop(service: RunningService): Promise<number> {
  const startMs = performance.now();
  expect((await service.stop()).status).toBe(0);
  return performance.now() - startMs;
}

test('an idle service exits immediately on SIGTERM', async () => {
  await using service = await startService(place.database);
  expect(await measureStop(service)).toBeLessThan(SHUTDOWN_LIMIT_MS);
});

test('an idle service on PostgreSQL exits immediately on SIGTERM', async () => {
  await using scratch = await openMigratedScratch();
  await using service = await startService(scratch.url);
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  expect(await measureStop(service)).toBeLessThan(SHUTDOWN_LIMIT_MS);
});

test('a shutdown does not wait for the back-off of a worker that keeps failing', async () => {
  await using service = await startService(place.database, ['--workers', '2']);
  const [victim = 0, other = 0] = childrenOf(service.pid);
  let failing = victim;
  // The back-off doubles with each failure: after four it is longer than the limit.
  for (let failure = 1; failure < 5; failure += 1) {
    process.kill(failing, 'SIGKILL');
    const isReplaced = () =>
      childrenOf(service.pid).some((pid) => pid !== failing && pid !== other);
    if (failure === 4) await until(() => !childrenOf(service.pid).includes(failing));
    else await until(isReplaced);
    failing = childrenOf(service.pid).find((pid) => pid !== other) ?? 0;
  }
  expect(await measureStop(service)).toBeLessThan(SHUTDOWN_LIMIT_MS);
});
