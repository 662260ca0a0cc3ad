/** The measurements of the feed. */
import { expect, test } from 'bun:test';
import type { FeedTimes } from '../../src/events/event-store.ts';
import { feedGauges } from '../../src/server/feed-gauges.ts';

const clock = { now: () => 100_000 };

const read = async (gauges: ReturnType<typeof feedGauges>) =>
  Object.fromEntries((await gauges()).map(({ name, values }) => [name, values[0]?.value]));

test.each<[string, FeedTimes, number, number, number]>([
  ['no event', { oldestAt: null, waitingSince: null }, 0, 0, 0],
  ['an event in the feed', { oldestAt: 40_000, waitingSince: null }, 0, 0, 60],
  ['an event that waits for longer', { oldestAt: 40_000, waitingSince: 90_000 }, 7, 10, 60],
  ['streams that wait for longer', { oldestAt: 40_000, waitingSince: 99_000 }, 7, 7, 60],
  ['events from the future', { oldestAt: 140_000, waitingSince: 150_000 }, 0, 0, 0],
])('of %s', async (_what, times, lagOfStreams, lagSeconds, oldestEventSeconds) => {
  const gauges = feedGauges({ times: () => times }, { open: 3, lagSeconds: lagOfStreams }, clock);
  expect(await read(gauges)).toEqual({
    animal_store_event_streams: 3,
    animal_store_event_feed_lag_seconds: lagSeconds,
    animal_store_oldest_event_age_seconds: oldestEventSeconds,
  });
});

test('while the database does not respond, the times are those of the scrape before', async () => {
  const answers: (() => FeedTimes | Promise<FeedTimes>)[] = [
    () => ({ oldestAt: 40_000, waitingSince: null }),
    () => Promise.reject(new Error('lost')),
    () => new Promise(() => {}),
  ];
  const times = () => (answers.shift() as () => FeedTimes)();
  const gauges = feedGauges({ times }, { open: 0, lagSeconds: 0 }, clock);
  for (let scrape = 0; scrape < 3; scrape += 1)
    expect((await read(gauges))['animal_store_oldest_event_age_seconds']).toBe(60);
});
