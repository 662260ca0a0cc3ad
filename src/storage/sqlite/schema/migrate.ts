import { Database as Sqlite } from 'bun:sqlite';
import { readdirSync, readFileSync } from 'node:fs';
import { StorageError } from '../../database.ts';

/** Marks a file as ours (PRAGMA application_id): "AnSt". */
const APPLICATION_ID = 0x416e5374;

const MIGRATIONS = new URL('./migrations/', import.meta.url);

/** The migrations in order; the number of each is its place, from 1. */
function loadMigrations(): string[] {
  const files = readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort();
  return files.map((file) => readFileSync(new URL(file, MIGRATIONS), 'utf8'));
}

/**
 * Brings a file to the schema of this program, one transaction a migration. Several processes
 * may do so at once. Refuses a file of another program or of a newer version of this one,
 * without changing it.
 */
export function migrate(connection: Sqlite, path: string, migrations = loadMigrations()): void {
  requireUsable(connection, path, migrations);
  while (version(connection) !== migrations.length) {
    connection.run('BEGIN IMMEDIATE');
    try {
      requireNotNewer(connection, path, migrations);
      const done = version(connection);
      const migration = migrations[done];
      if (migration !== undefined) {
        connection.run(migration);
        connection.run(`PRAGMA application_id = ${APPLICATION_ID}`);
        connection.run(`PRAGMA user_version = ${done + 1}`);
      }
      connection.run('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK');
      throw error;
    }
  }
}

/** The objects of a schema: tables, indexes and the like, each with the text that made it. */
type Schema = ReadonlyMap<string, string | null>;

export function schemaOf(connection: Sqlite): Schema {
  const objects = connection
    .query<{ name: string; sql: string | null }, []>('SELECT name, sql FROM sqlite_schema')
    .all();
  return new Map(objects.map(({ name, sql }) => [name, sql]));
}

/** The schema that a file has to have: the one that the migrations up to its version make. */
export function expectedSchemaOf(connection: Sqlite, migrations = loadMigrations()): Schema {
  const empty = new Sqlite(':memory:');
  try {
    for (const migration of migrations.slice(0, version(connection))) empty.run(migration);
    return schemaOf(empty);
  } finally {
    empty.close(true);
  }
}

/** Refuses a file of another program, or of a newer version of this one. Changes nothing. */
export function requireUsable(
  connection: Sqlite,
  path: string,
  migrations = loadMigrations(),
): void {
  requireOurs(connection, path);
  requireNotNewer(connection, path, migrations);
}

function requireNotNewer(connection: Sqlite, path: string, migrations: readonly string[]): void {
  const done = version(connection);
  if (done <= migrations.length) return;
  throw new StorageError(
    'refused',
    `${path} has schema version ${done}, but this program knows only ${migrations.length}: use a newer version of the program.`,
  );
}

/** Refuses a file that holds something and is not marked as ours. */
function requireOurs(connection: Sqlite, path: string): void {
  // The mark is read last: another process may be making tables and mark at this moment, at once.
  const tables = connection
    .query<{ count: number }, []>('SELECT count(*) AS count FROM sqlite_schema')
    .get();
  if (tables?.count === 0) return;
  const id = connection.query<{ application_id: number }, []>('PRAGMA application_id').get();
  if (id?.application_id === APPLICATION_ID) return;
  throw new StorageError('refused', `${path} is a database of another program.`);
}

const version = (connection: Sqlite): number =>
  connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
