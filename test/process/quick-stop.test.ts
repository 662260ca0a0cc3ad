/** A stop waits for requests and for nothing else: no timer keeps a process that has finished. */
import { expect, test } from 'bun:test';
import { openScratch } from '../storage/postgres/scratch.ts';
import {
  inWorkplace,
  type RunningService,
  startService,
  TEST_LIMIT_MS,
  until,
  withService,
} from '../support/process.ts';
import { childrenOf } from './children.ts';

/** Far more than an idle stop takes, and less than any pause that could keep a process. */
const AT_ONCE_MS = 500;

/** Stops the service, and returns how long that took. */
async function stopAfter(service: RunningService): Promise<number> {
  const startMs = performance.now();
  expect((await service.stop()).status).toBe(0);
  return performance.now() - startMs;
}

for (const workers of ['1', '3']) {
  test(
    `an idle service with --workers ${workers} ends as soon as it is told to stop`,
    inWorkplace(async ({ database }) => {
      await withService(await startService(database, ['--workers', workers]), async (service) => {
        expect(await stopAfter(service)).toBeLessThan(AT_ONCE_MS);
      });
    }),
    TEST_LIMIT_MS,
  );
}

test(
  'an idle service on PostgreSQL ends as soon as it is told to stop',
  async () => {
    const scratch = await openScratch();
    try {
      await withService(await startService(scratch.url), async (service) => {
        expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
        expect(await stopAfter(service)).toBeLessThan(AT_ONCE_MS);
      });
    } finally {
      await scratch.remove();
    }
  },
  TEST_LIMIT_MS,
);

test(
  'a stop does not wait for the pause before a worker that keeps failing is started again',
  inWorkplace(async ({ database }) => {
    await withService(await startService(database, ['--workers', '2']), async (service) => {
      const [victim = 0, other = 0] = childrenOf(service.pid);
      let failing = victim;
      // The pause doubles with each failure: after five it is longer than the rest of this test.
      for (let failure = 1; failure < 6; failure += 1) {
        process.kill(failing, 'SIGKILL');
        const isReplaced = () =>
          childrenOf(service.pid).some((pid) => pid !== failing && pid !== other);
        if (failure === 5) await until(() => !childrenOf(service.pid).includes(failing));
        else await until(isReplaced);
        failing = childrenOf(service.pid).find((pid) => pid !== other) ?? 0;
      }
      expect(await stopAfter(service)).toBeLessThan(AT_ONCE_MS);
    });
  }),
  TEST_LIMIT_MS,
);
