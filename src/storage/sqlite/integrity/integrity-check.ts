import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import { toStorageError } from '../failures.ts';
import { expectedSchemaOf, schemaOf } from '../schema/migrate.ts';

const restoreInstructions = (path: string): string =>
  `stop everything that uses it, remove ${path}-wal and ${path}-shm, put a backup in its place, and start again.`;

/** The error for a damaged file, with instructions to restore it. */
export function damagedError(path: string, what: string, cause?: unknown): StorageError {
  return new StorageError('damaged', `${path} is damaged (${what}): ${restoreInstructions(path)}`, {
    cause,
  });
}

/** Runs `work`, which opens the file at this path, and converts the errors of SQLite that it throws. */
export function translateOpenErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const failure = toStorageError(error);
    if (!(error instanceof SQLiteError && failure instanceof StorageError)) throw failure;
    if (failure.failure !== 'damaged') throw failure;
    if (error.code !== 'SQLITE_NOTADB') throw damagedError(path, error.message, error);
    throw new StorageError(
      'damaged',
      `${path} is not an SQLite database, or its first page is damaged: name another file, or ${restoreInstructions(path)}`,
      { cause: error },
    );
  }
}

/**
 * Refuses a file with a damaged schema or damaged API keys. Runs whenever a file is opened, since it takes a millisecond
 * and a damaged table of keys would cause a 401 for a valid key. Changes nothing. Does not detect a flipped bit in
 * the time of a key: the result is a plausible time.
 */
export function checkSchemaAndApiKeys(connection: Sqlite, path: string): void {
  connection.run('BEGIN');
  try {
    const found = schemaOf(connection);
    for (const [name, sql] of expectedSchemaOf(connection)) {
      if (found.get(name) !== sql)
        throw damagedError(path, `the schema of ${name} differs from what this version expects`);
    }
    if (found.has('api_keys')) requireOk(connection, path, "integrity_check('api_keys')");
    const times = ['expires_at', 'revoked_at', 'rotated_until'].filter((column) =>
      found.get('api_keys')?.includes(column),
    );
    // In the file, NULL, 0 and 1 differ by a few bits. The service never stores 0 or 1 as a time.
    const impossible = times.map((column) => `${column} IN (0, 1)`).join(' OR ') || 'false';
    if (
      found.has('api_keys') &&
      connection.query(`SELECT 1 FROM api_keys WHERE ${impossible}`).get()
    ) {
      throw damagedError(path, 'api_keys contains an impossible time');
    }
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK');
  }
}

/** Refuses a file with any damage (integrity_check, foreign_key_check). Reads all of it: about 3 s for every million animals. */
export function checkIntegrity(connection: Sqlite, path: string): void {
  requireOk(connection, path, 'integrity_check(1)');
  if (connection.query('PRAGMA foreign_key_check').get() !== null) {
    throw damagedError(path, 'a row refers to a missing API key');
  }
}

function requireOk(connection: Sqlite, path: string, check: string): void {
  const row = connection.query<Record<string, string>, []>(`PRAGMA ${check}`).get();
  const result = Object.values(row ?? {})[0];
  if (result === 'ok') return;
  // The first line may be a heading, such as `*** in database main ***`.
  const found = String(result)
    .split('\n')
    .find((line) => !line.startsWith('***'));
  throw damagedError(path, found ?? 'its pages are inconsistent');
}
