import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import { toStorageError } from '../failures.ts';
import { expectedSchemaOf, schemaOf } from '../schema/migrate.ts';

const howToRestore = (path: string): string =>
  `stop everything that uses it, remove ${path}-wal and ${path}-shm, put a backup in its place, and start again.`;

/** The refusal of a damaged file, with what has to be done about it. */
export function damaged(path: string, what: string, cause?: unknown): StorageError {
  return new StorageError('damaged', `${path} is damaged (${what}): ${howToRestore(path)}`, {
    cause,
  });
}

/** Runs `work`, which opens the file at this path, translating the engine's failures. */
export function opening<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const failure = toStorageError(error);
    if (!(error instanceof SQLiteError && failure instanceof StorageError)) throw failure;
    if (failure.failure !== 'damaged') throw failure;
    if (error.code !== 'SQLITE_NOTADB') throw damaged(path, error.message, error);
    throw new StorageError(
      'damaged',
      `${path} is no SQLite database, or its first page is damaged: name another file, or ${howToRestore(path)}`,
      { cause: error },
    );
  }
}

/**
 * Refuses a file whose schema or API keys are damaged. That is looked at whenever a file is opened, since it takes
 * a millisecond and a damaged table of keys answers 401 to the right key. Changes nothing. A flipped bit in a
 * time that a key has is not found: nothing tells it from another time.
 */
export function requireSoundKeys(connection: Sqlite, path: string): void {
  connection.run('BEGIN');
  try {
    const found = schemaOf(connection);
    for (const [name, sql] of expectedSchemaOf(connection)) {
      if (found.get(name) !== sql)
        throw damaged(path, `the schema of ${name} differs from what this version expects`);
    }
    if (found.has('api_keys')) requireOk(connection, path, "integrity_check('api_keys')");
    const times = ['expires_at', 'revoked_at', 'rotated_until'].filter((column) =>
      found.get('api_keys')?.includes(column),
    );
    // NULL, 0 and 1 differ in a few bits of the file, and neither of those times was ever stored.
    const ended = times.map((column) => `${column} IN (0, 1)`).join(' OR ') || 'false';
    if (found.has('api_keys') && connection.query(`SELECT 1 FROM api_keys WHERE ${ended}`).get()) {
      throw damaged(path, 'api_keys holds an impossible time');
    }
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK');
  }
}

/** Refuses a file of which any part is damaged, or does not fit another. Reads all of it: about 3 s for every million animals. */
export function requireSound(connection: Sqlite, path: string): void {
  requireOk(connection, path, 'integrity_check(1)');
  if (connection.query('PRAGMA foreign_key_check').get() !== null) {
    throw damaged(path, 'it refers to an API key that it does not have');
  }
}

function requireOk(connection: Sqlite, path: string, check: string): void {
  const row = connection.query<Record<string, string>, []>(`PRAGMA ${check}`).get();
  const result = Object.values(row ?? {})[0];
  if (result === 'ok') return;
  // The first line may only say in which file the others found something.
  const found = String(result)
    .split('\n')
    .find((line) => !line.startsWith('***'));
  throw damaged(path, found ?? 'its pages do not fit each other');
}
