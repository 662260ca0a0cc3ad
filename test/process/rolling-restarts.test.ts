/** Replaced workers under load lose no request. The drill of the same name does it longer, and behind HAProxy. */
import { expect, test } from 'bun:test';
import { inWorkplace } from '../support/process.ts';
import { replaceWorkers } from './worker-replacements.ts';

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
);
