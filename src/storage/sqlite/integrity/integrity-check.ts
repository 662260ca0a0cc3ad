import type { Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import { damageIn } from '../failures.ts';
import { expectedSchemaOf, schemaOf } from '../schema/migrate.ts';

/** The sentence is the same for every path because the path comes before it. */
const RESTORE_INSTRUCTIONS =
  'stop everything that uses it, restore a backup with `animal-store restore FILE`, and start again.';

/** A damaged file, with instructions to restore it. */
export class DamagedFile extends StorageError {
  /** @param what without the path and the instructions. */
  constructor(
    readonly what: string,
    message: string,
    cause: unknown,
  ) {
    super('damaged', `${message}${RESTORE_INSTRUCTIONS}`, { cause });
  }
}

export const damagedError = (path: string, what: string, cause?: unknown): DamagedFile =>
  new DamagedFile(what, `${path} is damaged (${what}): `, cause);

/** Runs `work`, which opens the file at this path, and converts the errors of SQLite that it throws. */
export function translateOpenErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DamagedFile) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (/^(?:SQLITE_(?:CANTOPEN|READONLY)|EROFS)/.test(code)) {
      const problem = `${path} and its folder must be writable for this user: ${message}.`;
      throw new StorageError('unavailable', problem, { cause: error });
    }
    const damage = damageIn(error);
    if (damage.code !== 'SQLITE_NOTADB') throw damagedError(path, damage.message, damage);
    throw new DamagedFile(
      'the file is not an SQLite database, or its first page is damaged',
      `${path} is not an SQLite database, or its first page is damaged: name another file, or `,
      damage,
    );
  }
}

/**
 * Refuses a file with a damaged schema or damaged API keys. Runs whenever a file is opened: it takes a millisecond, and a
 * damaged table of keys would refuse a valid key. Changes nothing. Does not detect a flipped bit in the time of a key: the
 * result is a plausible time.
 */
export function checkSchemaAndApiKeys(connection: Sqlite, path: string): void {
  connection.run('BEGIN');
  try {
    const [fault] = schemaFaults(connection);
    if (fault !== undefined) throw damagedError(path, fault);
    // A new file has no tables yet.
    if (!schemaOf(connection).has('table api_keys')) return;
    requireOk(connection, path, "integrity_check('api_keys')");
    if (hasImpossibleTimeOfKey(connection)) throw damagedError(path, IMPOSSIBLE_TIME_OF_KEY);
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK');
  }
}

/** The differences between the schema of a file and what its version should have. Additional objects are none. */
export function schemaFaults(connection: Sqlite): string[] {
  const found = schemaOf(connection);
  return [...expectedSchemaOf(connection)]
    .filter(([key, { sql }]) => found.get(key)?.sql !== sql)
    .map(([, { name }]) => `the schema of ${name} differs from what this version expects`);
}

/** Triggers of another program on tables of ours. They run in the transactions of the service, and may change or delete anything. */
export const foreignTriggerFaults = (connection: Sqlite): string[] =>
  foreignObjects(connection)
    .filter(({ isOurs }) => isOurs)
    .map(
      ({ name, table }) =>
        `the trigger ${name} on ${table} belongs to another program: remove it with DROP TRIGGER`,
    );

/** All other objects of other programs, such as `view report`. They change no row of ours, but an index may refuse one. */
export const otherObjects = (connection: Sqlite): string[] =>
  foreignObjects(connection)
    .filter(({ isOurs }) => !isOurs)
    .map(({ kind, name }) => `${kind} ${name}`);

/** The objects that the migrations did not create, except SQLite's own tables and indexes. `isOurs`: a trigger on a table of ours. */
function foreignObjects(connection: Sqlite) {
  const expected = expectedSchemaOf(connection);
  return [...schemaOf(connection)]
    .filter(([key]) => !(expected.has(key) || /^(?:table|index) sqlite_/.test(key)))
    .map(([, { kind, name, table }]) => ({
      kind,
      name,
      table,
      isOurs: kind === 'trigger' && expected.has(`table ${table}`),
    }));
}

export const IMPOSSIBLE_TIME_OF_KEY = 'api_keys contains an impossible time';

/** In the file, NULL, 0 and 1 differ by a few bits. The service never stores 0 or 1 as a time. */
export const hasImpossibleTimeOfKey = (connection: Sqlite): boolean =>
  connection
    .query(
      'SELECT 1 FROM api_keys WHERE expires_at IN (0, 1) OR revoked_at IN (0, 1) OR rotated_until IN (0, 1)',
    )
    .get() !== null;

/**
 * Refuses a file with any damage (integrity_check, foreign_key_check). Reads all of the file: about 3 s for every million animals.
 */
export function checkIntegrity(connection: Sqlite, path: string): void {
  requireOk(connection, path, 'integrity_check(1)');
  if (connection.query('PRAGMA foreign_key_check').get() !== null) {
    throw damagedError(path, 'a row refers to a missing API key');
  }
}

function requireOk(connection: Sqlite, path: string, check: string): void {
  const [fault] = integrityFaults(connection, check);
  if (fault !== undefined) throw damagedError(path, fault);
}

/** The lines that a check of SQLite reports, such as `integrity_check(100)`. A damaged file may end the check with an error. */
export function* integrityFaults(connection: Sqlite, check: string): Generator<string> {
  let found = 0;
  for (const row of connection.query<Record<string, string>, []>(`PRAGMA ${check}`).iterate()) {
    const text = String(Object.values(row)[0]);
    if (text === 'ok') return;
    for (const line of text.split('\n')) {
      // A line may be a heading, such as `*** in database main ***`.
      if (line.startsWith('***')) continue;
      found += 1;
      yield line;
    }
  }
  if (found === 0) yield 'its pages are inconsistent';
}
