import type { Database as Sqlite, Statement } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import { StorageError } from '../../database.ts';
import { RUNNING_TIMEOUT_MS, setBusyTimeout } from '../connections/connection.ts';
import { isBusy } from '../failures.ts';

/** A batch of another process holds the lock for one or two milliseconds. After a longer pause, the next batch would often hold it. */
const BUSY_PAUSE_MS = 1;

/** The write lock of the file, which a write transaction holds from its beginning. */
export class WriteLock {
  readonly #begin: Statement<unknown, []>;

  /** @param timeoutMs how long a batch waits while another connection holds the lock. */
  constructor(
    readonly connection: Sqlite,
    readonly timeoutMs: number,
  ) {
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
  }

  /** Whether the write lock was acquired without waiting. SQLite's busy timeout would block the event loop. */
  tryBegin(): boolean {
    setBusyTimeout(this.connection, 0);
    try {
      this.#begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    } finally {
      setBusyTimeout(this.connection, RUNNING_TIMEOUT_MS);
    }
  }

  /** Begins a write transaction as soon as the other process releases the lock. @throws StorageError after the timeout. */
  async begin(): Promise<void> {
    const startedMs = monotonicMs();
    do {
      if (monotonicMs() > startedMs + this.timeoutMs) {
        throw new StorageError('unavailable', 'Another process holds the write lock.');
      }
      await sleep(BUSY_PAUSE_MS);
    } while (!this.tryBegin());
  }
}
