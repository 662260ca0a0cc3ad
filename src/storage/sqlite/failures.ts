import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { INT64_MAX } from '../../int64.ts';
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

/** Our statements match the schema, so these messages mean that the file has lost it: for example, it is empty. */
const MISSING_SCHEMA = /^no such (?:table|column|index)\b/;

/** `SQLITE_IOERR_FSYNC` → `IOERR` */
const primaryCode = (error: SQLiteError): string => error.code?.split('_')[1] ?? '';

export const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && primaryCode(error) === 'BUSY';

/** Converts an error of SQLite to a StorageError. Other errors are bugs and are returned unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = primaryCode(error);
  const options = { cause: error };
  // The second one: the -shm finds no space.
  if (code === 'FULL' || error.code === 'SQLITE_IOERR_SHMSIZE')
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

/** The error of SQLite about damage. @throws any other one, as `toStorageError` returns it. */
export function damageIn(error: unknown): SQLiteError {
  const failure = toStorageError(error);
  if (!(failure instanceof StorageError && failure.failure === 'damaged')) throw failure;
  if (!(failure.cause instanceof SQLiteError)) throw failure;
  return failure.cause;
}

const damageCallbacks = new WeakMap<Sqlite, (damage: StorageError) => void>();

/** Calls the callback once, when a statement on this connection first detects damage in the file. */
export function watchForDamage(connection: Sqlite, onDamage: (damage: StorageError) => void): void {
  damageCallbacks.set(connection, onDamage);
}

/** SQLite reports it as a full disk. */
export class IdsUsedUp extends StorageError {
  constructor(table: string, cause: unknown) {
    super('full', `The ids of ${table} are used up (sqlite_sequence): restore a backup.`, {
      cause,
    });
  }
}

/** Like `toStorageError`, and reports damage to the callback of `watchForDamage`. */
export function toStorageErrorOn(connection: Sqlite, error: unknown): unknown {
  const failure = toStorageError(error);
  if (!(failure instanceof StorageError)) return failure;
  if (failure.failure === 'full') return explainFull(connection, failure);
  if (failure.failure === 'damaged') {
    const onDamage = damageCallbacks.get(connection);
    damageCallbacks.delete(connection);
    onDamage?.(failure);
  }
  return failure;
}

function explainFull(connection: Sqlite, failure: StorageError): StorageError {
  const select = `SELECT name FROM sqlite_sequence WHERE seq = ${INT64_MAX}`;
  try {
    const usedUp = connection.query<{ name: string }, []>(select).get();
    return usedUp === null ? failure : new IdsUsedUp(usedUp.name, failure.cause);
  } catch {
    // A full disk must not hide behind another failure.
    return failure;
  }
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
