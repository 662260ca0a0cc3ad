import { type MonotonicClock, systemClock } from '../clock.ts';
import { messageOf } from '../observe/exception.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';

/** With the patience below, a loss is reported within a second, even if no request comes. */
const CHECK_INTERVAL_MS = 300;

/** A database that returns no result for this time is reported as lost. Requests wait longer. */
const PATIENCE_MS = 600;

type MonitoredDatabase = Pick<Database, 'ping' | 'lastResultMs'>;

/**
 * Checks the database periodically. Reports `database_unavailable` once when it is lost, and
 * `database_available` once when it is back.
 */
export class DatabaseMonitor {
  readonly #observe: Observe;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isChecking = false;
  #isStopped = false;
  /** When the loss was reported, on the monotonic clock; undefined if the database is available. */
  #lostMs: number | undefined;
  /** The requests that failed since the last successful check. */
  #failedRequests = 0;

  constructor(
    private readonly database: MonitoredDatabase,
    observe: Observe,
    private readonly clock: MonotonicClock = systemClock,
  ) {
    this.#observe = observe;
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
    const stopWaiting = this.#watchForSilence();
    try {
      await this.database.ping({ retries: false });
      this.#succeeded();
    } catch (error) {
      this.#failed(error);
    } finally {
      stopWaiting();
      this.#isChecking = false;
    }
  }

  /**
   * Reports a loss if the database returns no result for too long. A check may wait for a lock, or behind slow
   * statements, while others get results. Returns a function that ends the wait.
   */
  #watchForSilence(): () => void {
    const startedMs = this.clock.monotonicMs();
    let isWaiting = true;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (ms: number): void => {
      // In the next turn of the event loop: a busy process may not have read the response yet.
      timer = setTimeout(() => setImmediate(loseOrWait), ms);
    };
    const loseOrWait = (): void => {
      if (!isWaiting) return;
      const lastMs = Math.max(startedMs, this.database.lastResultMs());
      const silentMs = this.clock.monotonicMs() - lastMs;
      if (silentMs >= PATIENCE_MS) this.#failed(NO_RESPONSE);
      else wait(PATIENCE_MS - silentMs);
    };
    wait(PATIENCE_MS);
    return () => {
      isWaiting = false;
      clearTimeout(timer);
    };
  }

  #failed(error: unknown): void {
    // A damaged file was reported as such, and stays damaged.
    const isDamaged = error instanceof StorageError && error.failure === 'damaged';
    if (this.#isStopped || this.#lostMs !== undefined || isDamaged) return;
    this.#lostMs = this.clock.monotonicMs();
    this.#observe({ kind: 'database_unavailable', reason: messageOf(error) });
  }

  #succeeded(): void {
    const failedRequests = this.#failedRequests;
    this.#failedRequests = 0;
    if (this.#isStopped || this.#lostMs === undefined) return;
    const ms = this.clock.monotonicMs() - this.#lostMs;
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
