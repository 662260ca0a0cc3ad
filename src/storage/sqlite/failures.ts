import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../database.ts';

/** Primary result codes (sqlite.org/rescode.html) by the failure that they mean. */
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

/** Our statements match the schema, so this message means that the file has lost it: for example, it is empty. */
const MISSING_SCHEMA = /^no such (table|column|index)\b/;

/** `SQLITE_IOERR_FSYNC` → `IOERR` */
const primaryCode = (error: SQLiteError): string => error.code?.split('_')[1] ?? '';

export const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && primaryCode(error) === 'BUSY';

/** Converts an error of SQLite to a StorageError. Other errors are bugs and are returned unchanged. */
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
  if (DAMAGED.has(code) || MISSING_SCHEMA.test(error.message)) {
    return new StorageError(
      'damaged',
      `The SQLite database is damaged: ${error.message}.`,
      options,
    );
  }
  return error;
}

type OnDamage = (damage: StorageError) => void;

const damageCallbacks = new WeakMap<Sqlite, OnDamage>();

/** Calls `onDamage` once, when a statement on this connection first detects damage in the file. */
export function watchForDamage(connection: Sqlite, onDamage: OnDamage): void {
  damageCallbacks.set(connection, onDamage);
}

/** Like `toStorageError`, and reports damage to the callback of `watchForDamage`. */
export function toStorageErrorOn(connection: Sqlite, error: unknown): unknown {
  const failure = toStorageError(error);
  if (failure instanceof StorageError && failure.failure === 'damaged') {
    const onDamage = damageCallbacks.get(connection);
    damageCallbacks.delete(connection);
    onDamage?.(failure);
  }
  return failure;
}

/** Runs `work` and converts the errors of SQLite that it throws. */
export function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Like `translateErrors`, and reports damage to the callback of `watchForDamage`. */
export function translateReadErrors<T>(connection: Sqlite, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageErrorOn(connection, error);
  }
}
