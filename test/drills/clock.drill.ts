/** The clock of the process is set at the C library (Debian's package faketime), as the clock of a machine is. */
import { expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { scrape } from '../support/metrics.ts';
import {
  commandOf,
  inWorkplace,
  parseLog,
  startCommand,
  TEST_LIMIT_MS,
  withService,
} from '../support/process.ts';

const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Longer than the interval of the checks. */
const NOTICED_MS = 4_000;

test.skipIf(!existsSync(LIBRARY))(
  'a clock that jumps by two days, forward and back, has a line and a count for each jump, and a start that is then behind has one (needs the Debian package faketime)',
  inWorkplace(async ({ database, file }) => {
    const setClock = (offset: string) => writeFileSync(file('clock'), offset);
    const start = (showsKey: boolean) =>
      startCommand(
        commandOf('serve', '--database', database, '--port', '0', '--metrics-port', '0'),
        {
          showsKey,
          variables: {
            LD_PRELOAD: LIBRARY,
            FAKETIME_TIMESTAMP_FILE: file('clock'),
            FAKETIME_NO_CACHE: '1',
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
          },
        },
      );
    setClock('+0d');
    await withService(await start(true), async (service) => {
      for (const [count, offset] of [
        [1, '+2d'],
        [2, '+0d'],
      ] as const) {
        setClock(offset);
        await sleep(NOTICED_MS);
        expect((await scrape(service)).sum('animal_store_clock_jumps_total')).toBe(count);
      }
      const { stdout } = await service.stop();
      const jumps = parseLog(stdout).filter((line) => line['event.name'] === 'clock_jumped');
      expect(jumps.map((line) => line['animal_store.clock.jump'])).toEqual([172_800, -172_800]);
    });
    setClock('-1d');
    await withService(await start(false), async (service) => {
      const { stdout } = await service.stop();
      const [behind, ...others] = parseLog(stdout).filter((line) =>
        String(line['event.name']).startsWith('clock_'),
      );
      expect([behind?.['event.name'], others]).toEqual(['clock_behind', []]);
      expect(Number(behind?.['animal_store.clock.behind'])).toBeGreaterThan(86_000);
    });
  }),
  TEST_LIMIT_MS,
);
