import type { Clock } from '../clock.ts';
import type { EventReader, FeedTimes } from '../events/event-store.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { FeedMeasurements } from '../observe/measurements.ts';
import { lastValue } from './last-value.ts';

/** A scrape waits no longer for the database. */
const PATIENCE_MS = 250;

const NO_TIMES: FeedTimes = { oldestAt: null, waitingSince: null };

/** Measures the feed for the metrics. */
export function watchFeed(
  events: Pick<EventReader, 'times'>,
  streams: Pick<EventStreams, 'open' | 'lagSeconds'>,
  clock: Clock,
): () => Promise<FeedMeasurements> {
  const readTimes = lastValue(NO_TIMES, PATIENCE_MS, async () => events.times());
  const secondsSince = (time: number | null) =>
    time === null ? 0 : Math.max(0, clock.now() - time) / 1000;
  return async () => {
    const { oldestAt, waitingSince } = await readTimes();
    return {
      openStreams: streams.open,
      lagSeconds: Math.max(secondsSince(waitingSince), streams.lagSeconds),
      oldestEventSeconds: secondsSince(oldestAt),
    };
  };
}
