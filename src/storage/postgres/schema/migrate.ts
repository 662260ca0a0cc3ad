import { readdirSync, readFileSync } from 'node:fs';
import { StorageError } from '../../database.ts';
import { Connection } from '../connections/connection.ts';
import { type Deadline, deadlineIn, WITHOUT_SERVER_TIMEOUT } from '../connections/deadline.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { pauseBeforeRetry } from '../connections/retry.ts';
import { isMadeTwice } from '../failures.ts';

const MIGRATIONS = new URL('./migrations/', import.meta.url);

/** The oldest version of PostgreSQL that the tests are run on. */
const OLDEST_VERSION = 15;

/** How long all of it may take: an index over a large table is built in one statement. */
const PATIENCE_MS = 10 * 60_000;

/** How long it may take to tell how things stand. */
const FIRST_PATIENCE_MS = 10_000;

/** Everything is in a schema of its own, so that a database may hold other programs' tables, too. */
const PREPARE = `
  ${WITHOUT_SERVER_TIMEOUT};
  CREATE SCHEMA IF NOT EXISTS animal_store;
  CREATE TABLE IF NOT EXISTS animal_store.schema_version (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version integer NOT NULL
  );
  INSERT INTO animal_store.schema_version (version) VALUES (0) ON CONFLICT DO NOTHING;
`;

/** The migrations in order; the number of each is its place, from 1. */
function loadMigrations(): string[] {
  const files = readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort();
  return files.map((file) => readFileSync(new URL(file, MIGRATIONS), 'utf8'));
}

interface MigrateOptions {
  /** False refuses a database that holds no catalogue yet. */
  readonly mayCreate?: boolean;
  readonly migrations?: readonly string[];
  /** The oldest version of PostgreSQL that is not refused. */
  readonly oldestVersion?: number;
}

/**
 * Brings a database to the schema of this program, one transaction a migration. Several instances
 * may do so at once: they wait for each other. Refuses a server that is too old, a database that
 * cannot hold every text, and the schema of a newer version.
 * @throws StorageError, or the driver's error.
 */
export async function migrate(
  options: ConnectionOptions,
  {
    mayCreate = true,
    migrations = loadMigrations(),
    oldestVersion = OLDEST_VERSION,
  }: MigrateOptions = {},
): Promise<void> {
  const connection = new Connection(options);
  const deadline = deadlineIn(PATIENCE_MS);
  const run = <Row>(text: string) => connection.query<Row>(text, [], deadline);
  const firstDeadline = deadlineIn(FIRST_PATIENCE_MS);
  const look = <Row>(text: string) => connection.query<Row>(text, [], firstDeadline);
  try {
    await requireUsable(look, oldestVersion);
    const version = await currentVersion(look);
    if (version === migrations.length) return;
    requireNotNewer(version ?? 0, migrations.length);
    if (version === undefined && !mayCreate) {
      throw new StorageError(
        'absent',
        'There is no catalogue in this database: name another with --database, or start the service once.',
      );
    }
    await prepare(run, deadline);
    while ((await currentVersion(run)) !== migrations.length) await migrateOnce(run, migrations);
  } finally {
    connection.destroy();
  }
}

type RunText = <Row>(text: string) => Promise<readonly Row[]>;

/** The schema's version, undefined where there is none. Changes nothing, since a role may be allowed no more. */
async function currentVersion(run: RunText): Promise<number | undefined> {
  const [table] = await run<{ isThere: boolean }>(
    `SELECT to_regclass('animal_store.schema_version') IS NOT NULL AS "isThere"`,
  );
  return table?.isThere ? readVersion(run, '') : undefined;
}

async function readVersion(run: RunText, lock: '' | 'FOR UPDATE'): Promise<number> {
  const [row] = await run<{ version: number }>(
    `SELECT version FROM animal_store.schema_version ${lock}`,
  );
  return row?.version ?? 0;
}

async function prepare(run: RunText, deadline: Deadline): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run(PREPARE);
      return;
    } catch (error) {
      if (!isMadeTwice(error) || !(await pauseBeforeRetry(attempt, deadline))) throw error;
    }
  }
}

/** Takes one step, unless another instance took it while this one waited. */
async function migrateOnce(run: RunText, migrations: readonly string[]): Promise<void> {
  await run(`BEGIN; ${WITHOUT_SERVER_TIMEOUT}`);
  const done = await readVersion(run, 'FOR UPDATE');
  requireNotNewer(done, migrations.length);
  const migration = migrations[done];
  if (migration !== undefined) {
    await run(migration);
    await run(`UPDATE animal_store.schema_version SET version = ${done + 1}`);
  }
  await run('COMMIT');
}

function requireNotNewer(version: number, known: number): void {
  if (version <= known) return;
  throw new StorageError(
    'refused',
    `The database has schema version ${version}, but this program knows only ${known}: use a newer version of the program.`,
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
    `The database has the encoding ${row.encoding}, which cannot hold every name: make one with the encoding UTF8.`,
  );
}
