import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { EventReader, FeedTimes } from '../events/event-store.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { shareRuns } from '../maybe-promise.ts';
import type { FeedMeasurements } from '../observe/measurements.ts';

/** A scrape waits no longer for the database, and gets the times of the last one. */
const MAX_WAIT_MS = 250;

/** Measures the feed for the metrics. */
export class FeedWatch {
  #times: FeedTimes = { oldestAt: null, waitingSince: null };
  readonly #readTimes: () => Promise<void>;

  constructor(
    readonly events: EventReader,
    readonly streams: EventStreams,
    readonly clock: Clock,
  ) {
    this.#readTimes = shareRuns(async () => {
      this.#times = await events.times();
    });
  }

  async measure(): Promise<FeedMeasurements> {
    // A database that cannot be read has metrics of its own.
    const isRead = this.#readTimes().catch(() => {});
    await Promise.race([isRead, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    const { oldestAt, waitingSince } = this.#times;
    return {
      openStreams: this.streams.open,
      lagSeconds: Math.max(this.#since(waitingSince), this.streams.lagSeconds),
      oldestEventSeconds: this.#since(oldestAt),
    };
  }

  #since(time: number | null): number {
    return time === null ? 0 : Math.max(0, this.clock.now() - time) / 1000;
  }
}
