/** Metrics that are read from the database at a scrape. */
import { expect, test } from 'bun:test';
import { databaseGauges, webhookGauges } from '../../src/server/database-gauges.ts';
import type { Database } from '../../src/storage/database.ts';
import { useFreshService } from './use-fresh-service.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const EXPIRY = 'animal_store_api_key_next_expiry_timestamp_seconds';
const BACKUP = 'animal_store_last_backup_timestamp_seconds';

const service = useFreshService();

const read = async (gauges: ReturnType<typeof databaseGauges>) =>
  Object.fromEntries((await gauges()).map(({ name, values }) => [name, values[0]?.value]));

test('a metric is missing if no key expires, and if the engine does not know its backups', async () => {
  const { database, clock } = service;
  const never = database.versionsKeysOnly ? {} : { [BACKUP]: 0 };
  expect(await read(databaseGauges(database, clock))).toEqual(never);
});

test('the next expiry is that of a valid key that was not rotated, in seconds', async () => {
  const { clock } = service;
  await service.issueKey([], clock.now() + DAY_MS);
  await service.issueKey([], clock.now() + 2 * DAY_MS);
  const gauges = databaseGauges(service.database, clock);
  expect((await read(gauges))[EXPIRY]).toBe((clock.now() + DAY_MS) / 1_000);
  clock.advance(DAY_MS);
  expect((await read(gauges))[EXPIRY]).toBe((clock.now() + DAY_MS) / 1_000);
});

test('while the database fails or does not respond, a scrape has the values of the one before', async () => {
  const { database, clock } = service;
  let answer: Database['lastBackupAt'] = () => 7_000;
  const gauges = databaseGauges({ ...database, lastBackupAt: () => answer() }, clock);
  expect(await read(gauges)).toEqual({ [BACKUP]: 7 });
  answer = () => Promise.reject(new Error('lost'));
  expect(await read(gauges)).toEqual({ [BACKUP]: 7 });
  answer = () => new Promise(() => {});
  expect(await read(gauges)).toEqual({ [BACKUP]: 7 });
});

test.each([
  [40_000, 60],
  [null, 0],
])('the age of the oldest due delivery, of %p, is %d seconds', async (oldestDueAt, age) => {
  const gauges = webhookGauges(
    { totals: () => ({ disabled: 2, oldestDueAt }) },
    { now: () => 1e5 },
  );
  expect(Object.values(await read(gauges))).toEqual([2, age]);
});
