import type { FeedMeasurements } from '../measurements.ts';
import { type MetricFamily, single } from './families.ts';

/** The feed of events, as metrics. */
export const feedFamilies = (feed: FeedMeasurements): MetricFamily[] => [
  single('animal_store_event_streams', feed.openStreams),
  single('animal_store_event_feed_lag_seconds', feed.lagSeconds),
  single('animal_store_oldest_event_age_seconds', feed.oldestEventSeconds),
];
