import { setTimeout as sleep } from 'node:timers/promises';
import { runSteps } from '../../../steps.ts';
import { StorageError } from '../../database.ts';
import { foldAgain } from '../../folded-texts.ts';
import {
  migrationAfter,
  nextVersion,
  type OnMigrated,
  requireKnownVersion,
  versionAfter,
} from '../../migrations.ts';
import { Connection } from '../connections/connection.ts';
import { type Deadline, deadlineIn, remainingMs } from '../connections/deadline.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { pauseBeforeRetry } from '../connections/retry.ts';
import { LONG_TRANSACTION, SELECT_WRONG_SETTINGS } from '../connections/session-settings.ts';
import { isDuplicate, isInvalidStatement, isLockTimeout } from '../failures.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import type { Run } from '../transactions/transactions.ts';
import { FOLDS, MIGRATIONS } from './migrations.ts';

/** The oldest version of PostgreSQL that the tests run on. */
const OLDEST_VERSION = 15;

/** For all migrations together: the creation of an index on a large table takes minutes. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * How long a statement of a migration waits for a lock. The writes that need the table wait behind it: this and the work
 * under the lock together must take less than a second.
 */
const LOCK_TIMEOUT_MS = 500;

/** The pause after such a wait, in which the other transactions continue. */
const LOCK_PAUSE_MS = 1_000;

/** For the first checks, which are fast. */
const CHECK_TIMEOUT_MS = 10_000;

/**
 * Our tables are in their own schema, so that the database can contain tables of other programs. `IF NOT EXISTS` would need the
 * right to create schemas even if the schema exists.
 */
const CREATE_SCHEMA = `
  ${LONG_TRANSACTION};
  DO $$ BEGIN
    IF to_regnamespace('animal_store') IS NULL THEN CREATE SCHEMA animal_store; END IF;
  END $$;
  CREATE TABLE IF NOT EXISTS animal_store.schema_version (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version integer NOT NULL
  );
  INSERT INTO animal_store.schema_version (version) VALUES (0) ON CONFLICT DO NOTHING;
`;

interface MigrateOptions {
  /** False refuses a database without a catalogue. */
  readonly mayCreate?: boolean;
  readonly migrations?: readonly string[];
  /** The oldest allowed version of PostgreSQL. */
  readonly oldestVersion?: number;
  readonly onMigrated?: OnMigrated | undefined;
  /** How long to try to get the locks that a migration needs. */
  readonly timeoutMs?: number;
}

/**
 * Migrates a database to the current schema, each migration in one transaction. Other writes wait for less than a second at a
 * time, or while an index of their table is created. Several instances may migrate simultaneously: they wait for each other.
 * Refuses an old server, an encoding other than UTF8, and a schema that this program does not know.
 * @throws StorageError, or the driver's error.
 */
export async function migrate(
  options: ConnectionOptions,
  {
    mayCreate = true,
    migrations = MIGRATIONS,
    oldestVersion = OLDEST_VERSION,
    onMigrated,
    timeoutMs = TIMEOUT_MS,
  }: MigrateOptions = {},
): Promise<void> {
  const connection = new Connection(options);
  const deadline = deadlineIn(timeoutMs);
  const run: Run = (text, values = []) => connection.query(text, values, deadline);
  const checkDeadline = deadlineIn(CHECK_TIMEOUT_MS);
  const check = <Row>(text: string) => connection.query<Row>(text, [], checkDeadline);
  try {
    // In statement mode, a pooler closes the connection here. With prepared statements, it was refused before.
    if (!options.prepared) await check('BEGIN').then(() => check('ROLLBACK'));
    await requireTrustedPath(check);
    await requireRightSettings(check);
    await requireUsable(check, oldestVersion);
    const version = await schemaVersion(check);
    if (version === versionAfter(migrations)) return;
    requireKnownVersion('The database', version ?? 0, migrations);
    if (version === undefined && !mayCreate) {
      throw new StorageError(
        'absent',
        'There is no catalogue in this database: name another with --database, or start the service once.',
      );
    }
    await createSchema(run, deadline);
    let isMigrated = false;
    while ((await schemaVersion(run)) !== versionAfter(migrations)) {
      isMigrated = (await migrateWithLocks(run, migrations, deadline)) || isMigrated;
    }
    if (isMigrated && version !== undefined && version > 0)
      onMigrated?.(version, versionAfter(migrations));
  } finally {
    connection.destroy();
  }
}

type RunText = <Row>(text: string) => Promise<readonly Row[]>;

/** Whether a relation can be our table of the version. */
const IS_VERSION = `relname = 'schema_version' AND relkind = 'r' AND (
    SELECT count(*) FROM pg_attribute
    WHERE attrelid = pg_class.oid AND (attname, format_type(atttypid, NULL)) IN (('only_row', 'boolean'), ('version', 'integer'))
  ) = 2`;
const SELECT_VERSION_TABLE = `SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('animal_store') AND ${IS_VERSION}`;
/** Some other relations, functions and types of our schema. This takes twice as long. */
const SELECT_OTHERS = `SELECT relname AS name FROM pg_class
    WHERE relnamespace = to_regnamespace('animal_store') AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c') AND NOT (${IS_VERSION})
  UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace('animal_store')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
  UNION ALL SELECT typname FROM pg_type WHERE typnamespace = to_regnamespace('animal_store') AND typtype IN ('d', 'e', 'r')
  ORDER BY name LIMIT 3`;

/**
 * The schema version, undefined if there is no schema. Changes nothing: the role may have no right to.
 * @throws StorageError if another program has created objects in our schema.
 */
export async function schemaVersion(run: RunText): Promise<number | undefined> {
  const version = await findVersion(run);
  if (version) return version;
  const others = await run<{ name: string }>(SELECT_OTHERS);
  // A migration that commits in between changes the version, too.
  const now = others.length === 0 ? version : await findVersion(run);
  if (others.length === 0 || now) return now;
  throw new StorageError(
    'refused',
    `The schema animal_store contains objects of another program (${others.map(({ name }) => name).join(', ')}): use another database.`,
  );
}

async function findVersion(run: RunText): Promise<number | undefined> {
  const [table] = await run<object>(SELECT_VERSION_TABLE);
  return table && readVersion(run, '');
}

async function readVersion(run: RunText, lock: '' | 'FOR UPDATE'): Promise<number> {
  const [row] = await run<{ version: number }>(
    `SELECT version FROM animal_store.schema_version ${lock}`,
  );
  return row?.version ?? 0;
}

async function createSchema(run: RunText, deadline: Deadline): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run(CREATE_SCHEMA);
      return;
    } catch (error) {
      if (!isDuplicate(error) || !(await pauseBeforeRetry(attempt, deadline))) throw error;
    }
  }
}

/** Runs the next migration, again as long as another transaction holds a lock that it needs. */
async function migrateWithLocks(
  run: Run,
  migrations: readonly string[],
  deadline: Deadline,
): Promise<boolean> {
  for (;;) {
    try {
      return await migrateOnce(run, migrations);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await run('ROLLBACK');
      const pauseMs = LOCK_PAUSE_MS * (0.5 + Math.random());
      // Another try needs time to fail, too: a statement that the deadline ends does not say what blocks it.
      if (pauseMs + 2 * LOCK_TIMEOUT_MS >= remainingMs(deadline))
        throw new StorageError('unavailable', LOCKED, { cause: error });
      await sleep(pauseMs);
    }
  }
}

const LOCKED =
  'The schema was not migrated, because other transactions lock its tables: end them (pg_stat_activity, pg_locks), and try again.';

/** Runs the next migration. Resolves with false if another instance ran the last one while this one waited for the lock. */
async function migrateOnce(run: Run, migrations: readonly string[]): Promise<boolean> {
  await run(`BEGIN; ${LONG_TRANSACTION}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const version = await readVersion(run, 'FOR UPDATE');
  requireKnownVersion('The database', version, migrations);
  const migration = migrationAfter(migrations, version);
  if (migration !== undefined) {
    await run(migration).catch((error) => {
      throw explainMigration(error, nextVersion(version));
    });
    const folded = FOLDS.get(migration);
    if (folded) await runSteps(foldAgain(new PostgresSql(run), folded));
    await run(`UPDATE animal_store.schema_version SET version = ${nextVersion(version)}`);
  }
  await run('COMMIT');
  return migration !== undefined;
}

/** A statement of a migration can only be wrong if the schema is not as the earlier ones left it. */
function explainMigration(error: unknown, version: number): unknown {
  if (!isInvalidStatement(error)) return error;
  const { message } = error;
  return new StorageError(
    'refused',
    `The schema animal_store cannot be migrated to version ${version}, because it was changed by others: ${message}.`,
    { cause: error },
  );
}

async function requireUsable(run: RunText, oldestVersion: number): Promise<void> {
  const [row] = await run<{ encoding: string; version: string; number: number }>(
    `SELECT current_setting('server_encoding') AS encoding, current_setting('server_version') AS version,
      current_setting('server_version_num')::integer AS number`,
  );
  if (row === undefined || row.number < oldestVersion * 10_000) {
    throw new StorageError(
      'refused',
      `The server is PostgreSQL ${row?.version}, which is too old: use version ${oldestVersion} or a newer one.`,
    );
  }
  if (row.encoding === 'UTF8') return;
  throw new StorageError(
    'refused',
    `The database has the encoding ${row.encoding}, which cannot store every name: create one with the encoding UTF8.`,
  );
}

/**
 * Refuses a session in which operators of another schema hide those of PostgreSQL. A connection of its own sets its path;
 * behind a pooler, the path is that of the role and the database.
 */
async function requireTrustedPath(run: RunText): Promise<void> {
  const [row] = await run<{ path: string }>(
    "SELECT pg_catalog.array_to_string(pg_catalog.current_schemas(true), ',') AS path",
  );
  const [first] = (row?.path ?? '').split(',').filter((name) => !name.startsWith('pg_temp_'));
  if (first === 'pg_catalog') return;
  throw new StorageError(
    'refused',
    `The search_path has the schema ${first} before pg_catalog, so that operators in ${first} would run in the service: ` +
      'set the search_path of the role and of the database to pg_catalog (ALTER ROLE, ALTER DATABASE).',
  );
}

/** A connection of its own sets what it can set. Behind a pooler, the settings are those of the role and the database. */
async function requireRightSettings(run: RunText): Promise<void> {
  const [wrong] = await run<Record<'name' | 'value' | 'found', string>>(SELECT_WRONG_SETTINGS);
  if (wrong === undefined) return;
  const { name, value, found } = wrong;
  throw new StorageError(
    'refused',
    `The sessions of this role have ${name} = ${found}, with which the service would not work correctly: ` +
      `set ${name} to ${value} for the role and the database (ALTER ROLE, ALTER DATABASE).`,
  );
}

/** The version that `migrate` leads to. */
export const currentVersion = (): number => versionAfter(MIGRATIONS);
