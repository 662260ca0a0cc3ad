/** Restarts under load lose no request. The drill of the same name restarts longer, and with more settings. */
import { expect, test } from 'bun:test';
import { HAPROXY } from '../support/haproxy.ts';
import { inWorkplace, TEST_LIMIT_MS } from '../support/process.ts';
import { rollInstances } from './rolling-restart.ts';
import { replaceWorkers } from './worker-replacements.ts';

test.skipIf(HAPROXY === null)(
  'a rolling restart of two instances behind HAProxy without retries fails no request (needs the Debian package haproxy)',
  inWorkplace(async ({ database }) => {
    const { traffic, statuses } = await rollInstances({
      database,
      reuse: 'safe',
      restarts: 1,
      clients: 8,
      delay: '2s',
    });
    expect(Object.fromEntries(traffic.failures)).toEqual({});
    expect(traffic.acknowledged.size).toBeGreaterThan(0);
    expect(await traffic.differences(database)).toEqual([]);
    expect([...statuses]).toEqual([0]);
  }),
  TEST_LIMIT_MS,
);

test(
  'replacing both workers fails no request on persistent connections',
  inWorkplace(async ({ database }) => {
    const { traffic, status, stdout } = await replaceWorkers({
      database,
      clients: 8,
      fresh: false,
      replacements: 2,
    });
    expect(Object.fromEntries(traffic.failures)).toEqual({});
    expect(traffic.acknowledged.size).toBeGreaterThan(0);
    expect(await traffic.differences(database)).toEqual([]);
    expect([status, stdout]).toEqual([0, '']);
  }),
  TEST_LIMIT_MS,
);
