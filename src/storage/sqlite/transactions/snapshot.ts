import type { Database as Sqlite, Statement } from 'bun:sqlite';

/**
 * Runs several reads in one read transaction. Outside of a transaction each statement acquires and
 * releases a lock, which is half of the time to read one row. In a transaction only the first one does.
 */
export class Snapshot {
  readonly #begin: Statement<unknown, []>;
  readonly #rollback: Statement<unknown, []>;
  #version: number | undefined;

  /** @param readVersion returns the current version of the file. */
  constructor(
    private readonly connection: Sqlite,
    private readonly readVersion: () => number,
  ) {
    this.#begin = connection.prepare('BEGIN');
    // There are no changes to commit, and ROLLBACK cannot fail.
    this.#rollback = connection.prepare('ROLLBACK');
  }

  /** Within `run`: a version that is not newer than the snapshot; undefined outside. */
  get version(): number | undefined {
    return this.#version;
  }

  /** Runs `work` once, even if the transaction cannot begin. Throws only what `work` throws. */
  run(work: () => void): void {
    const hasBegun = this.#tryBegin();
    try {
      work();
    } finally {
      this.#version = undefined;
      // After an error SQLite may have rolled back already.
      if (hasBegun && this.connection.inTransaction) this.#rollback.run();
    }
  }

  #tryBegin(): boolean {
    try {
      // Before BEGIN: the data of a response may then be newer than its version, but never older.
      this.#version = this.readVersion();
      this.#begin.run();
      return true;
    } catch {
      // Each read then runs outside of a transaction, and reports the failure to its own request.
      this.#version = undefined;
      return false;
    }
  }
}
