import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
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
  'SCHEMA',
]);
const DAMAGED = new Set(['NOTADB', 'CORRUPT']);

/** Every statement of ours fits the schema, so this is said of a file that has lost it, one of no bytes for example. */
const LOST_SCHEMA = /^no such (table|column|index)\b/;

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
  if (DAMAGED.has(code) || LOST_SCHEMA.test(error.message)) {
    return new StorageError(
      'damaged',
      `The file is not a sound SQLite database: ${error.message}.`,
      options,
    );
  }
  return error;
}

type OnDamage = (damage: StorageError) => void;

const watched = new WeakMap<Sqlite, OnDamage>();

/** Calls `onDamage` once, when a statement of this connection first finds that the file is damaged. */
export function watchForDamage(connection: Sqlite, onDamage: OnDamage): void {
  watched.set(connection, onDamage);
}

/** The same as `toStorageError` for a failure on this connection, which may be watched for damage. */
export function failureOn(connection: Sqlite, error: unknown): unknown {
  const failure = toStorageError(error);
  if (failure instanceof StorageError && failure.failure === 'damaged') {
    const onDamage = watched.get(connection);
    watched.delete(connection);
    onDamage?.(failure);
  }
  return failure;
}

/** Runs `work`, translating the engine's failures. */
export function translating<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Runs `work`, which reads on this connection, translating the engine's failures. */
export function readingOn<T>(connection: Sqlite, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failureOn(connection, error);
  }
}
