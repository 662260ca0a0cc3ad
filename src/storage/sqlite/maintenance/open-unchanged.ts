import { constants, SQLiteError, Database as Sqlite } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { StorageError } from '../../database.ts';
import { openForInspection, setBusyTimeout } from '../connections/connection.ts';
import { requireWhole } from '../integrity/file-check.ts';
import { translateOpenErrors } from '../integrity/integrity-check.ts';
import { hasWalFrames } from '../integrity/stale-wal.ts';
import { requireUsable } from '../schema/migrate.ts';

/** How long a read waits for a process that is opening or closing the file. */
const TIMEOUT_MS = 10_000;

/**
 * Opens a catalogue to read it, also on a disk that is mounted read-only. Leaves the database file and its WAL as they are.
 * Leaves new files beside them only if a WAL of a killed process is there.
 * @throws StorageError if there is no catalogue, it belongs to another program, or this one does not know its schema.
 */
export function openUnchanged(path: string): Sqlite {
  requireWhole(path);
  if (!existsSync(path)) throw new StorageError('absent', `There is no database at ${path}.`);
  return translateOpenErrors(path, () => {
    const connection = openReadable(path);
    try {
      requireUsable(connection, path);
      return connection;
    } catch (error) {
      connection.close(true);
      throw error;
    }
  });
}

/** Opens the file in the first way that can read it. */
function openReadable(path: string): Sqlite {
  const ways = hasWalFrames(path)
    ? [openForInspection]
    : [openReadWrite, openForInspection, openImmutable];
  let failure: unknown;
  for (const open of ways) {
    let connection: Sqlite | undefined;
    try {
      connection = open(path);
      setBusyTimeout(connection, TIMEOUT_MS);
      connection.query('SELECT count(*) FROM sqlite_schema').get();
      return connection;
    } catch (error) {
      connection?.close(true);
      failure ??= error;
      if (!isNotAllowed(error)) throw error;
    }
  }
  throw failure;
}

/** Without a WAL, a connection that may write removes the files that it creates. */
const openReadWrite = (path: string): Sqlite => new Sqlite(path, { strict: true, readwrite: true });

/** Needs no -shm file, which cannot be created in a folder that is read-only. Without a WAL nothing is missed. */
const openImmutable = (path: string): Sqlite =>
  new Sqlite(
    `file:${encodeURI(path).replaceAll('?', '%3f').replaceAll('#', '%23')}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  );

/** The file, or the folder of the -shm file, cannot be written. */
const isNotAllowed = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(CANTOPEN|READONLY|PERM|IOERR)/.test(error.code ?? '');
