import type { Database as Sqlite, Statement } from 'bun:sqlite';

/**
 * Reads several things from one state of the file. Each statement by itself takes a lock and
 * gives it back, which is half of what reading one row costs; in a transaction the first does it
 * for all.
 */
export class Snapshot {
  readonly #connection: Sqlite;
  readonly #latest: () => number;
  readonly #begin: Statement<unknown, []>;
  readonly #end: Statement<unknown, []>;
  #version: number | undefined;

  /** @param latest tells the version of the file as it is now. */
  constructor(connection: Sqlite, latest: () => number) {
    this.#connection = connection;
    this.#latest = latest;
    this.#begin = connection.prepare('BEGIN');
    // Nothing was changed, so that there is nothing to commit, and nothing that could fail.
    this.#end = connection.prepare('ROLLBACK');
  }

  /** What is read now is at least as new as this version; undefined: it is the latest. */
  get version(): number | undefined {
    return this.#version;
  }

  /** Runs `work` once, whatever happens, and throws only what it throws. */
  during(work: () => void): void {
    const begun = this.#begins();
    try {
      work();
    } finally {
      this.#version = undefined;
      // The engine may have ended it after an error.
      if (begun && this.#connection.inTransaction) this.#end.run();
    }
  }

  #begins(): boolean {
    try {
      // Before the transaction: what was found to be of a version may be newer than it, never older.
      this.#version = this.#latest();
      this.#begin.run();
      return true;
    } catch {
      // Then each read is by itself, and meets the failure where it is told to whoever asked.
      this.#version = undefined;
      return false;
    }
  }
}
