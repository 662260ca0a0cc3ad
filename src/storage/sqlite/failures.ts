import { SQLiteError } from 'bun:sqlite';
import { StorageError } from '../database.ts';

/** Result codes (sqlite.org/rescode.html) that say what a caller can do about a failure. */
const UNAVAILABLE = new Set([
  'BUSY',
  'LOCKED',
  'IOERR',
  'CANTOPEN',
  'READONLY',
  'NOMEM',
  'PROTOCOL',
  'PERM',
]);
const REFUSED = new Set(['NOTADB', 'CORRUPT']);

/** `SQLITE_IOERR_FSYNC` → `IOERR` */
const primaryCode = (error: SQLiteError): string => error.code?.split('_')[1] ?? '';

export const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && primaryCode(error) === 'BUSY';

/** Turns an engine's failure into one that the rest of the program knows; anything else is a bug and stays what it is. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = primaryCode(error);
  const options = { cause: error };
  if (code === 'FULL')
    return new StorageError('full', 'The disk or the database is full.', options);
  if (UNAVAILABLE.has(code)) {
    return new StorageError(
      'unavailable',
      `The database cannot be used: ${error.message}.`,
      options,
    );
  }
  if (REFUSED.has(code)) {
    return new StorageError(
      'refused',
      `The file is not a sound SQLite database: ${error.message}.`,
      options,
    );
  }
  return error;
}

/** Runs `work`, translating the engine's failures. */
export function translating<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}
