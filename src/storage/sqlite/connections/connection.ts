import { Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import { privately } from './private-files.ts';

/** How long opening waits for another process that brings the same file to a new schema: a second for every million animals. */
const OPENING_TIMEOUT_MS = 120_000;

/** How long a statement may wait while the service runs: it stops the event loop, so next to nothing. */
export const RUNNING_TIMEOUT_MS = 50;

/**
 * Holds all of 100,000 animals, and the inner pages of 10,000,000. The process grows by as much while it reads and
 * writes. Four times as much made neither faster.
 *
 * The file is not mapped (`mmap_size`): reading a mapped file that was cut short ends the process.
 */
const PAGE_CACHE_KIB = 16 * 1024;

/**
 * Opens a connection that writes. WAL, so that readers and the writer do not wait for each
 * other; synchronous=FULL, so that COMMIT returns when the data is on the disk. A new file can be read by this user alone.
 * @param inspect may throw, to refuse the file before anything in it is changed: its mode is kept in it.
 */
export function openForWriting(path: string, inspect?: (connection: Sqlite) => void): Sqlite {
  // SQLite gives the -wal and -shm files the mode of the database file.
  const connection = privately(
    () => new Sqlite(path, { strict: true, readwrite: true, create: true }),
  );
  try {
    waitAtMost(connection, OPENING_TIMEOUT_MS);
    inspect?.(connection);
    const mode = connection.query<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').get();
    if (mode?.journal_mode !== 'wal') {
      throw new StorageError(
        'refused',
        `${path} cannot be used in WAL mode: it has to be on a local disk.`,
      );
    }
    connection.run('PRAGMA synchronous = FULL');
    connection.run('PRAGMA foreign_keys = ON');
    connection.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    return connection;
  } catch (error) {
    connection.close(true);
    throw error;
  }
}

/** Opens a connection that only reads. */
export function openForReading(path: string): Sqlite {
  const connection = new Sqlite(path, { strict: true, readwrite: true });
  waitAtMost(connection, RUNNING_TIMEOUT_MS);
  connection.run('PRAGMA query_only = ON');
  return connection;
}

/** Opens a connection that changes no file but the -shm file: closing it moves nothing out of the WAL. */
export function openForInspection(path: string): Sqlite {
  const connection = new Sqlite(path, { strict: true, readonly: true });
  waitAtMost(connection, OPENING_TIMEOUT_MS);
  connection.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  return connection;
}

/** How long a statement waits for a lock that another process holds, from now on. It stops the event loop meanwhile. */
export function waitAtMost(connection: Sqlite, milliseconds: number): void {
  connection.run(`PRAGMA busy_timeout = ${milliseconds}`);
}

/** First SQLite releases without the bug by which two connections could reset the WAL at once and lose commits. */
const FIXED_RELEASES = [
  [3, 44, 6],
  [3, 50, 7],
  [3, 51, 3],
] as const;

/** Whether an SQLite of this version is free of the WAL-reset bug (sqlite.org/wal.html). */
export function isSafeRelease(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const sameBranch = FIXED_RELEASES.find((fixed) => fixed[0] === major && fixed[1] === minor);
  return sameBranch ? patch >= sameBranch[2] : major > 3 || (major === 3 && minor > 51);
}

export function engineVersion(connection: Sqlite): string {
  return (
    connection.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
      ?.version ?? ''
  );
}
