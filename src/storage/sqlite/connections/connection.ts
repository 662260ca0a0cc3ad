import { Database as Sqlite } from 'bun:sqlite';
import { monotonicMs } from '../../../clock.ts';
import { StorageError } from '../../database.ts';
import { isBusy } from '../failures.ts';
import { withPrivateUmask } from './private-umask.ts';

/** How long opening waits for another process that migrates the same file: about 1 s for every million animals. */
const OPENING_TIMEOUT_MS = 120_000;

const BUSY_PAUSE_MS = 10;

/** The busy timeout while the service runs. It is short because the wait blocks the event loop. */
export const RUNNING_TIMEOUT_MS = 50;

/**
 * Fits 100,000 animals, or the interior pages of 10,000,000. The process grows by this much while it reads and
 * writes. A cache four times as large made neither faster.
 *
 * `mmap_size` stays 0: reading a mapped file that was truncated kills the process.
 */
const PAGE_CACHE_KIB = 16 * 1024;

/**
 * The largest -wal that stays after its changes were moved into the database file. An import or a long read makes it
 * larger: the next write after that truncates it. Usually it has some 4 MiB, so that this costs nothing.
 */
export const WAL_SIZE_LIMIT = 64 * 1024 * 1024;

/**
 * Opens a connection that writes. WAL mode, so that readers and the writer do not block each
 * other; synchronous=FULL, so that COMMIT returns when the data is on disk. A new file gets mode 0600.
 * @param inspect may throw to refuse the file before it is changed: the journal mode is stored in it.
 * @param timeoutMs how long to wait for locks of other connections.
 */
export function openForWriting(
  path: string,
  inspect?: (connection: Sqlite) => void,
  timeoutMs = OPENING_TIMEOUT_MS,
): Sqlite {
  // SQLite gives the -wal and -shm files the file mode of the database file.
  const connection = withPrivateUmask(
    () => new Sqlite(path, { strict: true, readwrite: true, create: true }),
  );
  try {
    setBusyTimeout(connection, timeoutMs);
    inspect?.(connection);
    if (switchToWal(connection, timeoutMs) !== 'wal') {
      throw new StorageError(
        'refused',
        `${path} cannot be used in WAL mode: it must be on a local disk.`,
      );
    }
    connection.run('PRAGMA synchronous = FULL');
    connection.run('PRAGMA foreign_keys = ON');
    connection.run(`PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT}`);
    connection.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    return connection;
  } catch (error) {
    connection.close(true);
    throw error;
  }
}

/**
 * Returns the resulting journal mode. A switch upgrades a read lock to a write lock, for which SQLite does not apply the
 * busy timeout: while another connection writes, it fails immediately with SQLITE_BUSY. So it is retried here.
 */
function switchToWal(connection: Sqlite, timeoutMs: number): string | undefined {
  const startMs = monotonicMs();
  for (;;) {
    try {
      return connection.query<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').get()
        ?.journal_mode;
    } catch (error) {
      if (!isBusy(error) || monotonicMs() - startMs >= timeoutMs) throw error;
    }
    Bun.sleepSync(BUSY_PAUSE_MS);
  }
}

/** Opens a connection that only reads. */
export function openForReading(path: string): Sqlite {
  const connection = new Sqlite(path, { strict: true, readwrite: true });
  setBusyTimeout(connection, RUNNING_TIMEOUT_MS);
  connection.run('PRAGMA query_only = ON');
  return connection;
}

/** Opens a read-only connection. It changes only the -shm file: closing it does not checkpoint the WAL. */
export function openForInspection(path: string): Sqlite {
  const connection = new Sqlite(path, { strict: true, readonly: true });
  setBusyTimeout(connection, OPENING_TIMEOUT_MS);
  connection.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  return connection;
}

/** Sets how long a statement waits for a lock of another process. The wait blocks the event loop. */
export function setBusyTimeout(connection: Sqlite, timeoutMs: number): void {
  connection.run(`PRAGMA busy_timeout = ${timeoutMs}`);
}

/**
 * Keeps in memory what SQLite needs only within a statement or a transaction, such as the pages from before a savepoint:
 * files for these would take a fifth of the processor time of an addition. Not for a migration, which sorts all animals.
 */
export function avoidTemporaryFiles(connection: Sqlite): void {
  connection.run('PRAGMA temp_store = MEMORY');
}

/** Whether a version of SQLite is free of the WAL-reset bug, which can lose commits (sqlite.org/wal.html). */
export const isSafeRelease = (version: string): boolean =>
  Bun.semver.satisfies(version, '~3.44.6 || ~3.50.7 || >=3.51.3');

export function sqliteVersion(connection: Sqlite): string {
  return (
    connection.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
      ?.version ?? ''
  );
}
