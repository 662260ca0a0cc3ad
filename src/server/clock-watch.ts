import { type Clock, type MonotonicClock, systemClock } from '../clock.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';

const CHECK_INTERVAL_MS = 1_000;

/** A smaller error ends nothing that matters: the shortest hold lasts a minute. */
const TOLERANCE_MS = 60_000;

/**
 * Reports a wrong clock, which ends holds, idempotency records and API keys too early or too late. It only reports: a program
 * cannot know whether the clock is wrong now, or was wrong before.
 */
export class ClockWatch {
  /** The wall clock less the monotonic clock, when the last jump was reported. */
  #offsetMs: number;
  #newestTime: number | undefined;

  constructor(
    private readonly observe: Observe,
    private readonly clock: Clock & MonotonicClock = systemClock,
  ) {
    this.#offsetMs = this.#currentOffsetMs();
  }

  /** Reports `clock_behind` if the catalogue has times that are later than now. */
  async compareWith(database: Pick<Database, 'newestTime'>): Promise<void> {
    try {
      this.#newestTime = await database.newestTime();
    } catch (error) {
      // The monitor reports a database that is lost.
      if (!(error instanceof StorageError)) throw error;
    }
    const { behindSeconds } = this;
    if (behindSeconds * 1000 > TOLERANCE_MS) this.observe({ kind: 'clock_behind', behindSeconds });
  }

  /** How far the newest time that `compareWith` found is in the future. Otherwise 0. */
  get behindSeconds(): number {
    return Math.max(0, Math.round(((this.#newestTime ?? 0) - this.clock.now()) / 1000));
  }

  /** Checks periodically, as long as the process does anything else. */
  start(): void {
    setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
  }

  /** Reports `clock_jumped` if the wall clock was set by over a minute since the last report. Several steps add up. */
  check(): void {
    const jumpMs = this.#currentOffsetMs() - this.#offsetMs;
    if (Math.abs(jumpMs) <= TOLERANCE_MS) return;
    this.#offsetMs += jumpMs;
    this.observe({ kind: 'clock_jumped', jumpSeconds: Math.round(jumpMs / 1000) });
  }

  #currentOffsetMs(): number {
    return this.clock.now() - this.clock.monotonicMs();
  }
}
