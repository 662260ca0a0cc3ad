import { monotonicMs } from '../clock.ts';
import { shareRuns } from '../maybe-promise.ts';
import { messageOf } from '../observe/exception.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';

/** A loss is reported within a second, even if no request comes. */
const CHECK_INTERVAL_MS = 300;

/**
 * Checks the database periodically. Reports `database_unavailable` once when it is lost, and
 * `database_available` once when it is back.
 */
export class DatabaseMonitor {
  #timer: ReturnType<typeof setInterval> | undefined;
  #isStopped = false;
  /** When the loss was reported, on the monotonic clock; undefined if the database is available. */
  #lostMs: number | undefined;
  /** The requests that failed since the last successful check. */
  #failedRequests = 0;

  constructor(
    private readonly database: Pick<Database, 'checkHealth'>,
    private readonly report: Observe,
  ) {}

  /** Passes an observation on, and counts failed requests. */
  readonly observe: Observe = (observation) => {
    if (observation.kind === 'request_failed') this.#failedRequests += 1;
    this.report(observation);
  };

  start(): void {
    this.#timer = setInterval(
      shareRuns(() => this.#check()),
      CHECK_INTERVAL_MS,
    );
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    try {
      await this.database.checkHealth();
      this.#succeeded();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    // A damaged file was reported as such, and stays damaged.
    const isDamaged = error instanceof StorageError && error.failure === 'damaged';
    if (this.#isStopped || this.#lostMs !== undefined || isDamaged) return;
    this.#lostMs = monotonicMs();
    this.report({ kind: 'database_unavailable', reason: messageOf(error) });
  }

  #succeeded(): void {
    const failedRequests = this.#failedRequests;
    this.#failedRequests = 0;
    if (this.#isStopped || this.#lostMs === undefined) return;
    const ms = monotonicMs() - this.#lostMs;
    this.#lostMs = undefined;
    this.report({
      kind: 'database_available',
      unavailableSeconds: Math.round(ms) / 1000,
      failedRequests,
    });
  }
}
