import { statSync } from 'node:fs';
import { isLoopback } from '../config/base-urls.ts';
import { type Config, misspeltVariables } from '../config/config.ts';
import { SettingError } from '../config/parse-setting.ts';
import { SETTINGS } from '../config/settings.ts';
import { readUrlFile } from '../config/url-file.ts';
import type { OnBatch } from '../observe/measurements.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';
import { isPostgresUrl, nameOfServer, withoutPassword } from '../storage/database-url.ts';
import type { OnMigrated } from '../storage/migrations.ts';
import type { PostgresOptions } from '../storage/postgres/open.ts';
import { parsePostgresUrl } from '../storage/postgres-url.ts';
import { hasWal, openSqlite } from '../storage/sqlite/open.ts';
import type { Io } from './io.ts';

/** The settings of one connection to a database. */
const ONE_CONNECTION = [
  'databaseCaFile',
  'databaseCertFile',
  'databaseKeyFile',
  'databaseTimeoutMs',
  'databasePrepared',
] as const;

export const CONNECTION_SETTINGS = [...ONE_CONNECTION, 'databaseConnections'] as const;
export type ConnectionConfig = Config<(typeof CONNECTION_SETTINGS)[number]>;

/** The settings of every command that uses a database. */
export const DATABASE_SETTINGS = ['database', 'databaseUrlFile', ...CONNECTION_SETTINGS] as const;
export type DatabaseConfig = Config<(typeof DATABASE_SETTINGS)[number]>;

/** The settings of a command that inspects a database on one connection. */
export const MAINTENANCE_SETTINGS = ['database', 'databaseUrlFile', ...ONE_CONNECTION] as const;
export type MaintainedConfig = Config<(typeof MAINTENANCE_SETTINGS)[number]>;

interface OpenOptions {
  /** The file that contained the URL. */
  readonly urlFile?: string | undefined;
  readonly standbyUrls?: readonly string[] | undefined;
  /** Requires the rights of a service in PostgreSQL, and receives warnings about the connection. */
  readonly checkService?: (warning: string) => void;
  /** If false, a missing catalogue is an error. */
  readonly mayCreate?: boolean;
  /** Prints a message that names the database if no catalogue existed there. */
  readonly announceCreation?: boolean;
  /** Receives the events of the database while it is open. */
  readonly observe?: Observe;
  /** Receives each batch of writes after COMMIT. */
  readonly onBatch?: OnBatch | undefined;
  /** By default, a message says from which schema to which. */
  readonly onMigrated?: OnMigrated;
}

export const tlsFilesOf = (
  connection: Config<(typeof ONE_CONNECTION)[number]>,
): Required<PostgresOptions>['tlsFiles'] => ({
  caFile: connection.databaseCaFile,
  certificateFile: connection.databaseCertFile,
  keyFile: connection.databaseKeyFile,
});

/** Opens a database. Its URL determines the engine. */
export async function openDatabase(
  io: Io,
  url: string,
  connection: ConnectionConfig,
  {
    urlFile,
    standbyUrls,
    checkService,
    mayCreate = true,
    observe = () => {},
    onBatch,
    onMigrated = (from, to) =>
      io.message(`animal-store: Migrated ${withoutPassword(url)} from schema ${from} to ${to}.`),
  }: OpenOptions = {},
): Promise<Database> {
  if (isPostgresUrl(url)) {
    // Loading it takes longer than opening a file.
    const { openPostgres } = await import('../storage/postgres/open.ts');
    return openPostgres(url, {
      rereadUrl:
        urlFile === undefined
          ? undefined
          : () => readUrlFile(SETTINGS.databaseUrlFile.variable, urlFile),
      tlsFiles: tlsFilesOf(connection),
      standbyUrls,
      connections: connection.databaseConnections,
      timeoutMs: connection.databaseTimeoutMs,
      prepared: connection.databasePrepared,
      checkService:
        checkService && ((isEncrypted) => warnOfPlainText(url, isEncrypted, checkService)),
      mayCreate,
      observe,
      onBatch,
      onMigrated,
    });
  }
  if (standbyUrls !== undefined) {
    const { flag, variable } = SETTINGS.standbyUrls;
    throw new SettingError(`${flag} (${variable}) is allowed only with a PostgreSQL database.`);
  }
  if (!mayCreate && isMissing(url)) {
    throw new StorageError(
      'absent',
      `There is no database at ${url}: correct the path, or start the service to create one.`,
    );
  }
  return openSqlite(url, {
    observe,
    onBatch,
    onMigrated,
    announce: (message) => io.message(`animal-store: ${message}`),
  });
}

/** False for a file that this process cannot reach. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Traffic to another machine can be read and changed on its way. */
function warnOfPlainText(url: string, isEncrypted: boolean, warn: (warning: string) => void): void {
  const { host, port } = parsePostgresUrl(url);
  if (isEncrypted || host.startsWith('/') || isLoopback(host)) return;
  warn(
    `The connection to PostgreSQL at ${nameOfServer(host, port)} is not encrypted. Set sslmode=verify-full in its URL.`,
  );
}

/**
 * Moves changes from the WAL to the database file if the workers left a WAL. SQLite leaves a WAL if several processes close the
 * file simultaneously. After a graceful shutdown, a copy of the one file is a complete backup.
 */
export async function checkpointLeftoverWal(
  io: Io,
  { database, ...connection }: DatabaseConfig,
): Promise<void> {
  if (isPostgresUrl(database) || !hasWal(database)) return;
  try {
    await (await openDatabase(io, database, connection, { mayCreate: false })).close();
  } catch (error) {
    // A damaged or removed file was reported while the service was running, and another program may use the file.
    if (!(error instanceof StorageError)) throw error;
  }
}

/** The variables that decide which catalogue is created, with which keys, and where the first key goes. */
const VARIABLES_OF_CREATION = [
  SETTINGS.database,
  SETTINGS.databaseUrlFile,
  SETTINGS.environment,
  SETTINGS.firstKeyFile,
].map(({ variable }): string => variable);

/**
 * Opens the configured database. A misspelt variable must not create an empty catalogue: while one
 * is set, the catalogue must already exist.
 */
export async function openConfigured(
  io: Io,
  config: DatabaseConfig,
  openOptions: OpenOptions = {},
): Promise<Database> {
  const options = { ...openOptions, urlFile: config.databaseUrlFile };
  const misspelt = misspeltVariables(io.streams.variables).find(({ meant }) =>
    VARIABLES_OF_CREATION.includes(meant),
  );
  const mayCreateSilently = misspelt === undefined && !options.announceCreation;
  if (mayCreateSilently || options.mayCreate === false) {
    return openDatabase(io, config.database, config, options);
  }
  try {
    return await openDatabase(io, config.database, config, { ...options, mayCreate: false });
  } catch (error) {
    if (!(error instanceof StorageError && error.failure === 'absent')) throw error;
  }
  const name = withoutPassword(config.database);
  if (misspelt !== undefined) {
    throw new SettingError(
      `There is no catalogue at ${name}, and none is created while ${misspelt.name} is set: correct or unset it.`,
    );
  }
  const created = await openDatabase(io, config.database, config, options);
  io.message(`animal-store: Created a catalogue in ${name}, because there was none.`);
  return created;
}

/** Opens the configured database for `work`, and closes it afterwards. */
export async function withDatabase<T>(
  io: Io,
  config: DatabaseConfig,
  work: (database: Database) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const database = await openConfigured(io, config, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Like `withDatabase`, but a missing catalogue is an error. */
export const withExistingDatabase = <T>(
  io: Io,
  config: DatabaseConfig,
  work: (database: Database) => Promise<T>,
): Promise<T> => withDatabase(io, config, work, { mayCreate: false });
