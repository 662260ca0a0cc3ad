import { expect, test } from 'bun:test';
import type { Observation } from '../../src/observe/observation.ts';
import { reportSlowSearches } from '../../src/server/slow-searches.ts';
import { type Database, StorageError } from '../../src/storage/database.ts';

async function reported(obstacle: Database['names']['obstacle']): Promise<Observation[]> {
  const observed: Observation[] = [];
  const names = { unindexed: () => 0, indexNext: () => 0, obstacle };
  await reportSlowSearches({ names }, (observation) => observed.push(observation));
  return observed;
}

test('searches that no index serves are reported with the reason, others are not', async () => {
  expect(await reported(() => 'the index is gone')).toEqual([
    { kind: 'searches_slow', reason: 'the index is gone' },
  ]);
  expect(await reported(async () => undefined)).toEqual([]);
});

test('a database that is lost during the wait is reported by others', async () => {
  const lost = async () => {
    throw new StorageError('unavailable', 'It is lost.');
  };
  expect(await reported(lost)).toEqual([]);
});
