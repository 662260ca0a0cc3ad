/** Metrics that are read from the database at a scrape. */
import { afterEach, expect, jest, test } from 'bun:test';
import type { FeedTimes } from '../../src/events/event-store.ts';
import { databaseGauges, webhookGauges } from '../../src/server/database-gauges.ts';
import { feedGauges } from '../../src/server/feed-gauges.ts';
import type { Database } from '../../src/storage/database.ts';
import { useFreshService } from './use-fresh-service.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const EXPIRY = 'animal_store_api_key_next_expiry_timestamp_seconds';
const BACKUP = 'animal_store_last_backup_timestamp_seconds';

const CLOCK = { now: () => 100_000 };
const service = useFreshService();
afterEach(() => jest.useRealTimers());

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
  // A scrape waits half a second for the database, which a busy one exceeds.
  jest.useFakeTimers();
  const gauges = databaseGauges(service.database, clock);
  expect((await read(gauges))[EXPIRY]).toBe((clock.now() + DAY_MS) / 1_000);
  clock.advance(DAY_MS);
  expect((await read(gauges))[EXPIRY]).toBe((clock.now() + DAY_MS) / 1_000);
});

test('while the database fails or does not respond, a scrape has the values of the one before', async () => {
  const { database, clock } = service;
  jest.useFakeTimers();
  let answer: Database['lastBackupAt'] = () => 7_000;
  const gauges = databaseGauges({ ...database, lastBackupAt: () => answer() }, clock);
  expect(await read(gauges)).toEqual({ [BACKUP]: 7 });
  answer = () => Promise.reject(new Error('lost'));
  expect(await read(gauges)).toEqual({ [BACKUP]: 7 });
  answer = () => new Promise(() => {});
  jest.useRealTimers();
  expect(await read(gauges)).toEqual({ [BACKUP]: 7 });
});

test.each([
  [40_000, 60],
  [null, 0],
])('the age of the oldest due delivery, of %p, is %d seconds', async (oldestDueAt, age) => {
  const gauges = webhookGauges({ totals: () => ({ disabled: 2, oldestDueAt }) }, CLOCK);
  expect(Object.values(await read(gauges))).toEqual([2, age]);
});

test.each<[string, FeedTimes, number, number, number]>([
  ['no event', { oldestAt: null, waitingSince: null }, 0, 0, 0],
  ['an event in the feed', { oldestAt: 40_000, waitingSince: null }, 0, 0, 60],
  ['an event that waits for longer', { oldestAt: 40_000, waitingSince: 90_000 }, 7, 10, 60],
  ['streams that wait for longer', { oldestAt: 40_000, waitingSince: 99_000 }, 7, 7, 60],
  ['events from the future', { oldestAt: 140_000, waitingSince: 150_000 }, 0, 0, 0],
])(
  'the times of the feed, of %s',
  async (_what, times, lagOfStreams, lagSeconds, oldestEventSeconds) => {
    const gauges = feedGauges({ times: () => times }, { open: 3, lagSeconds: lagOfStreams }, CLOCK);
    expect(await read(gauges)).toEqual({
      animal_store_event_streams: 3,
      animal_store_event_feed_lag_seconds: lagSeconds,
      animal_store_oldest_event_age_seconds: oldestEventSeconds,
    });
  },
);

test('while the database does not respond, the times of the feed are those of the scrape before', async () => {
  const answers: (() => FeedTimes | Promise<FeedTimes>)[] = [
    () => ({ oldestAt: 40_000, waitingSince: null }),
    () => Promise.reject(new Error('lost')),
    () => new Promise(() => {}),
  ];
  const times = () => (answers.shift() as () => FeedTimes)();
  const gauges = feedGauges({ times }, { open: 0, lagSeconds: 0 }, CLOCK);
  for (let scrape = 0; scrape < 3; scrape += 1)
    expect((await read(gauges))['animal_store_oldest_event_age_seconds']).toBe(60);
});
