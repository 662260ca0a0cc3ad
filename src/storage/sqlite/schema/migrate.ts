import { Database as Sqlite } from 'bun:sqlite';
import { runSteps } from '../../../steps.ts';
import { StorageError } from '../../database.ts';
import { foldAgain } from '../../folded-texts.ts';
import type { SchemaVersion } from '../../maintenance.ts';
import {
  migrationAfter,
  migrationsOf,
  nextVersion,
  type OnMigrated,
  requireKnownVersion,
  versionAfter,
} from '../../migrations.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';
import { FOLDS, MIGRATIONS } from './migrations.ts';

/** PRAGMA application_id of our files: "AnSt". */
const APPLICATION_ID = 0x416e5374;

/**
 * Migrates a file to the current schema, each migration in one transaction. Several processes may
 * do so simultaneously. Refuses the same files as `requireUsable`.
 * @throws StorageError, or SQLite's error.
 */
export function migrate(
  connection: Sqlite,
  path: string,
  migrations = MIGRATIONS,
  onMigrated: OnMigrated = () => {},
): void {
  requireUsable(connection, path, migrations);
  const from = schemaVersion(connection);
  let isMigrated = false;
  while (schemaVersion(connection) !== versionAfter(migrations)) {
    connection.run('BEGIN IMMEDIATE');
    try {
      const version = schemaVersion(connection);
      requireKnownVersion(path, version, migrations);
      const migration = migrationAfter(migrations, version);
      if (migration !== undefined) {
        connection.run(migration);
        const folded = FOLDS.get(migration);
        if (folded) runSteps(foldAgain(new SqliteSql(connection), folded));
        connection.run(`PRAGMA application_id = ${APPLICATION_ID}`);
        connection.run(`PRAGMA user_version = ${nextVersion(version)}`);
        isMigrated = true;
      }
      connection.run('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK');
      throw error;
    }
  }
  if (isMigrated && from > 0) onMigrated(from, versionAfter(migrations));
}

/** A table, an index, a trigger or a view. */
interface SchemaObject {
  readonly kind: string;
  readonly name: string;
  /** The table of an index or a trigger, in lower case. Of a table and a view, its own name. */
  readonly table: string;
  readonly sql: string | null;
}

/** The objects of a schema by kind and name, such as `table pets`: a trigger may have the name of a table. */
type Schema = ReadonlyMap<string, SchemaObject>;

export function schemaOf(connection: Sqlite): Schema {
  const objects = connection
    // The name of a trigger's table is stored as it was written in CREATE TRIGGER.
    .query<SchemaObject, []>(
      'SELECT type AS kind, name, lower(tbl_name) AS "table", sql FROM sqlite_schema ORDER BY kind, name',
    )
    .all();
  return new Map(objects.map((object) => [`${object.kind} ${object.name}`, object]));
}

/** The schema that the migrations create, up to the version of the file. */
export function expectedSchemaOf(connection: Sqlite, migrations = MIGRATIONS): Schema {
  const empty = new Sqlite(':memory:');
  try {
    for (const migration of migrationsOf(migrations, schemaVersion(connection)))
      empty.run(migration);
    return schemaOf(empty);
  } finally {
    empty.close(true);
  }
}

/** Refuses a file of another program, and one with a schema that this one does not know. Changes nothing. */
export function requireUsable(connection: Sqlite, path: string, migrations = MIGRATIONS): void {
  requireApplicationId(connection, path);
  requireKnownVersion(path, schemaVersion(connection), migrations);
}

/** Refuses a file that is not empty and has another application_id. */
function requireApplicationId(connection: Sqlite, path: string): void {
  // The id is read last: another process may be committing the first tables and the id in one transaction.
  const tables = connection
    .query<{ count: number }, []>('SELECT count(*) AS count FROM sqlite_schema')
    .get();
  if (tables?.count === 0) return;
  const id = connection.query<{ application_id: number }, []>('PRAGMA application_id').get();
  if (id?.application_id === APPLICATION_ID) return;
  throw new StorageError('refused', `${path} belongs to another program.`);
}

/** 0: there is no schema. */
export const schemaVersion = (connection: Sqlite): number =>
  connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;

/** Writes the version of the schema again, unchanged: a write that needs space on the disk and changes no data. */
export const rewriteSchemaVersion = (connection: Sqlite): void => {
  connection.run(`PRAGMA user_version = ${schemaVersion(connection)}`);
};

/** The version that `migrate` leads to. */
export const currentVersion = (): number => versionAfter(MIGRATIONS);

/** The version of an open file. The first start leaves a file without tables for a moment. */
export const readSchema = (connection: Sqlite): SchemaVersion => ({
  stored: schemaVersion(connection) || undefined,
  current: currentVersion(),
});
