import type { Database as Sqlite } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MaybePromise } from '../../maybe-promise.ts';
import { StorageError } from '../database.ts';
import { isBusy, toStorageError } from './failures.ts';

interface Job {
  readonly work: () => MaybePromise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A batch is bounded so that no write waits for very many others, nor a read behind them. */
const MAX_BATCH = 512;

const BUSY_RETRY_MS = 10;

/**
 * The one writer of a database file: group commit. Writes that wait at the same moment share a
 * transaction, and so one fsync, the dearest part of a write. Each resolves only after COMMIT,
 * when it is durable; each has a savepoint of its own, so that one refusal leaves the rest whole.
 */
export class Writer {
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  /**
   * @param connection is used by nobody else; what `work` runs is prepared on it.
   * @param busyDeadlineMs how long a batch waits while another process holds the write lock.
   */
  constructor(
    readonly connection: Sqlite,
    readonly busyDeadlineMs = 5_000,
  ) {}

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
      // Requests that have already arrived get to submit their writes before the batch closes.
      await new Promise(setImmediate);
      let batch: Job[] | undefined;
      try {
        await this.#begin();
        batch = this.#waiting.splice(0, MAX_BATCH);
        settle(batch, this.#commit(batch));
      } catch (error) {
        // Without the lock nobody who waits gets anything: none waits longer than the first did.
        const failure = toStorageError(error);
        for (const job of batch ?? this.#waiting.splice(0)) job.reject(failure);
      }
    }
    this.#running = undefined;
  }

  /** Takes the write lock. SQLite's own busy timeout would stop the event loop, so the waiting is done here. */
  async #begin(): Promise<void> {
    for (let waitedMs = 0; ; ) {
      try {
        this.connection.run('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (waitedMs > this.busyDeadlineMs) {
          throw new StorageError('unavailable', 'Another process holds the write lock.', {
            cause: error,
          });
        }
        const pauseMs = BUSY_RETRY_MS * (0.5 + Math.random());
        await sleep(pauseMs);
        waitedMs += pauseMs;
      }
    }
  }

  #commit(batch: readonly Job[]): Outcome[] {
    try {
      const outcomes = batch.map((job) => this.#runJob(job));
      this.connection.run('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.connection.inTransaction) this.connection.run('ROLLBACK');
      throw error;
    }
  }

  #runJob({ work }: Job): Outcome {
    this.connection.run('SAVEPOINT job');
    let outcome: Outcome;
    try {
      outcome = { value: atOnce(work()) };
    } catch (error) {
      // A full disk or a failed write ends the whole transaction: whatever ran after it would be
      // committed on its own, so nothing of this batch may count.
      if (!this.connection.inTransaction) throw error;
      this.connection.run('ROLLBACK TO job');
      outcome = { error: toStorageError(error) };
    }
    this.connection.run('RELEASE job');
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
