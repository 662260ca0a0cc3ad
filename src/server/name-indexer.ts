import { setTimeout as sleep } from 'node:timers/promises';
import { shareRuns } from '../maybe-promise.ts';
import type { Database } from '../storage/database.ts';

/** The number of names that one transaction indexes. Requests wait for it: about two milliseconds on SQLite. */
const BATCH = 250;

/** Between two calls of `run`. */
export const INDEXING_INTERVAL_MS = 200;

/** With more names than this that are not indexed, searches would become slow. */
const MANY = 1_000;

/** Between two transactions, so that requests take most of the time. */
const PAUSE_MS = 5;

/**
 * Keeps the index of names up to date: indexes while no names are added, or too many wait. A batch costs less for each name
 * than single ones.
 */
export class NameIndexer {
  #waiting = 0;
  #isStopped = false;

  constructor(
    readonly names: Pick<Database['names'], 'unindexed' | 'indexNext'>,
    readonly pause: () => Promise<unknown> = () => sleep(PAUSE_MS),
  ) {}

  /** The number of names that were not indexed when this was last known. */
  get waiting(): number {
    return this.#waiting;
  }

  /** To be called each `INDEXING_INTERVAL_MS`. @throws StorageError */
  readonly run = shareRuns(async () => {
    const before = this.#waiting;
    this.#waiting = await this.names.unindexed();
    const isQuiet = this.#waiting === before;
    while (!this.#isStopped && this.#waiting > 0 && (isQuiet || this.#waiting >= MANY)) {
      // Another program may lock animals for long.
      if ((await this.names.indexNext(BATCH)) === 0) break;
      this.#waiting = await this.names.unindexed();
      await this.pause();
    }
  });

  /** Ends the work after the transaction that runs. @throws StorageError */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.run();
  }
}
