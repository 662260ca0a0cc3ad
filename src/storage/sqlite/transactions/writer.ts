import type { Database as Sqlite, Statement } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MaybePromise } from '../../../maybe-promise.ts';
import { batchWindow } from '../../batch-window.ts';
import { StorageError } from '../../database.ts';
import { RUNNING_TIMEOUT_MS, waitAtMost } from '../connections/connection.ts';
import { failureOn, isBusy } from '../failures.ts';

interface Job {
  readonly work: () => MaybePromise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A batch is bounded so that no write waits for very many others, nor a read behind them. */
const MAX_BATCH = 512;

const FIRST_BUSY_RETRY_MS = 1;
const LONGEST_BUSY_RETRY_MS = 16;

/**
 * The one writer of a database file: group commit. Writes that wait at the same moment share a
 * transaction, and so one fsync, the dearest part of a write. Each resolves only after COMMIT,
 * when it is durable; each has a savepoint of its own, so that one refusal leaves the rest whole.
 */
export class Writer {
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  /** Prepared once, instead of compiled with every write. */
  readonly #statements: Readonly<
    Record<'begin' | 'commit' | 'savepoint' | 'release', Statement<unknown, []>>
  >;

  /**
   * @param connection is written to by nobody else; what `work` runs is prepared on it.
   * @param busyDeadlineMs how long a batch waits while another process holds the write lock.
   */
  constructor(
    readonly connection: Sqlite,
    readonly busyDeadlineMs = 5_000,
  ) {
    const prepare = (sql: string) => connection.prepare<unknown, []>(sql);
    this.#statements = {
      begin: prepare('BEGIN IMMEDIATE'),
      commit: prepare('COMMIT'),
      savepoint: prepare('SAVEPOINT job'),
      release: prepare('RELEASE job'),
    };
  }

  /**
   * Runs `work` inside a transaction and resolves with its result once that is durable.
   * `work` may throw: then it leaves nothing behind, and the promise rejects with what it threw.
   */
  write<T>(work: () => MaybePromise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await batchWindow(this.#waiting, MAX_BATCH);
      let batch: Job[] | undefined;
      try {
        await this.#withLock(() => {
          batch = this.#waiting.splice(0, MAX_BATCH);
          settle(batch, this.#commit(batch));
        });
      } catch (error) {
        // Without the lock nobody who waits gets anything: none waits longer than the first did.
        const failure = failureOn(this.connection, error);
        for (const job of batch ?? this.#waiting.splice(0)) job.reject(failure);
      }
    }
    this.#running = undefined;
  }

  /**
   * Begins a transaction that may write, and runs `work` in the same moment: nothing else, which
   * reads on the same connection, comes in between.
   */
  async #withLock(work: () => void): Promise<void> {
    try {
      let longestMs = FIRST_BUSY_RETRY_MS;
      for (let waitedMs = 0; !this.#begins(); ) {
        if (waitedMs > this.busyDeadlineMs) {
          throw new StorageError('unavailable', 'Another process holds the write lock.');
        }
        const pauseMs = longestMs * (0.5 + Math.random() / 2);
        longestMs = Math.min(longestMs * 2, LONGEST_BUSY_RETRY_MS);
        await sleep(pauseMs);
        waitedMs += pauseMs;
      }
      work();
    } catch (error) {
      if (this.connection.inTransaction) this.connection.run('ROLLBACK');
      throw error;
    }
  }

  /** Whether the write lock was to be had at once. SQLite's own waiting would stop the event loop. */
  #begins(): boolean {
    waitAtMost(this.connection, 0);
    try {
      this.#statements.begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    } finally {
      waitAtMost(this.connection, RUNNING_TIMEOUT_MS);
    }
  }

  #commit(batch: readonly Job[]): Outcome[] {
    const outcomes = batch.map((job) => this.#runJob(job));
    this.#statements.commit.run();
    return outcomes;
  }

  #runJob({ work }: Job): Outcome {
    this.#statements.savepoint.run();
    let outcome: Outcome;
    try {
      outcome = { value: atOnce(work()) };
    } catch (error) {
      // A full disk or a failed write ends the whole transaction: whatever ran after it would be
      // committed on its own, so nothing of this batch may count.
      if (!this.connection.inTransaction) throw error;
      const failure = failureOn(this.connection, error);
      // Nothing more may be written to a damaged file.
      if (failure instanceof StorageError && failure.failure === 'damaged') throw failure;
      this.connection.run('ROLLBACK TO job');
      outcome = { error: failure };
    }
    this.#statements.release.run();
    return outcome;
  }
}

/** Work that waited for something would wait inside everybody's transaction. */
function atOnce<T>(value: MaybePromise<T>): T {
  if (value instanceof Promise) throw new Error('Work in a transaction waited for something else.');
  return value;
}

function settle(batch: readonly Job[], outcomes: readonly Outcome[]): void {
  batch.forEach((job, index) => {
    const outcome = outcomes[index] as Outcome;
    if ('error' in outcome) job.reject(outcome.error);
    else job.resolve(outcome.value as never);
  });
}
