import type { Clock } from '../clock.ts';
import type { EventReader, FeedTimes } from '../events/event-store.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { type MetricFamily, single } from '../observe/metrics/families.ts';
import { lastValue } from './last-value.ts';

const NO_TIMES: FeedTimes = { oldestAt: null, waitingSince: null };

/** Reads the metrics of the feed, at a scrape. */
export function feedGauges(
  events: Pick<EventReader, 'times'>,
  streams: Pick<EventStreams, 'open' | 'lagSeconds'>,
  clock: Clock,
): () => Promise<readonly MetricFamily[]> {
  const readTimes = lastValue(NO_TIMES, async () => events.times());
  const secondsSince = (time: number | null) =>
    time === null ? 0 : Math.max(0, clock.now() - time) / 1000;
  return async () => {
    const { oldestAt, waitingSince } = await readTimes();
    const lagSeconds = Math.max(secondsSince(waitingSince), streams.lagSeconds);
    return [
      single('animal_store_event_streams', streams.open),
      single('animal_store_event_feed_lag_seconds', lagSeconds),
      single('animal_store_oldest_event_age_seconds', secondsSince(oldestAt)),
    ];
  };
}
