import { type MonotonicClock, systemClock } from '../clock.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { messageOf } from '../observe/exception.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';

/** With the patience below, a loss is reported within a second, also if no request comes. */
const CHECK_INTERVAL_MS = 300;

/** A database that does not respond for this time is reported as lost. Requests wait longer. */
const PATIENCE_MS = 600;

/**
 * Checks the database again and again. Reports `database_unavailable` once when it is lost, and
 * `database_available` once when it is back.
 */
export class DatabaseMonitor {
  readonly #ping: Database['ping'];
  readonly #observe: Observe;
  readonly #clock: MonotonicClock;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isChecking = false;
  #isStopped = false;
  /** When the loss was reported, on the monotonic clock; undefined if the database is available. */
  #lostMs: number | undefined;
  /** The requests that failed since the last successful check. */
  #failedRequests = 0;

  constructor(ping: Database['ping'], observe: Observe, clock: MonotonicClock = systemClock) {
    this.#ping = ping;
    this.#observe = observe;
    this.#clock = clock;
  }

  /** Passes an observation on, and counts failed requests. */
  readonly observe: Observe = (observation) => {
    if (observation.kind === 'request_failed') this.#failedRequests += 1;
    this.#observe(observation);
  };

  start(): void {
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const patience = setTimeout(
      // In the next turn of the event loop: a busy process may not have read the response yet.
      () => setImmediate(() => this.#isChecking && this.#failed(NO_RESPONSE)),
      PATIENCE_MS,
    );
    try {
      await ping(this.#ping);
      this.#succeeded();
    } catch (error) {
      this.#failed(error);
    } finally {
      clearTimeout(patience);
      this.#isChecking = false;
    }
  }

  #failed(error: unknown): void {
    // A damaged file was reported as such, and stays damaged.
    const isDamaged = error instanceof StorageError && error.failure === 'damaged';
    if (this.#isStopped || this.#lostMs !== undefined || isDamaged) return;
    this.#lostMs = this.#clock.monotonicMs();
    this.#observe({ kind: 'database_unavailable', reason: messageOf(error) });
  }

  #succeeded(): void {
    const failedRequests = this.#failedRequests;
    this.#failedRequests = 0;
    if (this.#isStopped || this.#lostMs === undefined) return;
    const ms = this.#clock.monotonicMs() - this.#lostMs;
    this.#lostMs = undefined;
    this.#observe({
      kind: 'database_available',
      unavailableSeconds: Math.round(ms) / 1000,
      failedRequests,
    });
  }
}

const NO_RESPONSE = new StorageError(
  'unavailable',
  `The database did not respond within ${PATIENCE_MS} ms.`,
);

/** Also turns an exception into a rejection. */
const ping = async (check: Database['ping']): Promise<MaybePromise<void>> =>
  check({ retries: false });
