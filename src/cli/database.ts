import { existsSync } from 'node:fs';
import { type Config, misspeltVariables, SETTINGS, SettingError } from '../config/config.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';
import { isPostgresAddress, withoutPassword } from '../storage/database-address.ts';
import { openPostgres } from '../storage/postgres/open.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import { tell } from './output.ts';

/** How a database is reached, beside its address. */
export const CONNECTION_SETTINGS = [
  'databaseConnections',
  'databaseTimeoutMs',
  'databasePrepared',
] as const;
type ConnectionConfig = Config<(typeof CONNECTION_SETTINGS)[number]>;

/** The settings of every command that works on a database. */
export const DATABASE_SETTINGS = ['database', ...CONNECTION_SETTINGS] as const;
type DatabaseConfig = Config<(typeof DATABASE_SETTINGS)[number]>;

interface OpenOptions {
  readonly replicaUrls?: readonly string[] | undefined;
  /** False refuses to make a catalogue where there is none. */
  readonly mayCreate?: boolean;
  /** Receives what happens to the database while it is open. */
  readonly observe?: Observe;
}

/** Opens the database at an address, whichever engine that names. */
export function openDatabase(
  address: string,
  connection: ConnectionConfig,
  { replicaUrls, mayCreate = true, observe = () => {} }: OpenOptions = {},
): MaybePromise<Database> {
  if (isPostgresAddress(address)) {
    return openPostgres(address, {
      replicaUrls: replicaUrls ?? [],
      connections: connection.databaseConnections,
      timeoutMs: connection.databaseTimeoutMs,
      prepared: connection.databasePrepared,
      mayCreate,
      observe,
    });
  }
  if (replicaUrls !== undefined) {
    const { flag, variable } = SETTINGS.replicaUrls;
    throw new SettingError(
      `${flag} (${variable}) is only for a database at a postgres:// address.`,
    );
  }
  if (!mayCreate && !existsSync(address)) {
    throw new StorageError(
      'absent',
      `There is no database at ${address}: name it with --database, or start the service once.`,
    );
  }
  return openSqlite(address, { observe, announce: (words) => tell(`animal-store: ${words}`) });
}

/** The settings that decide which catalogue is made, with which keys, and who receives the first key. */
const DECISIVE = [SETTINGS.database, SETTINGS.environment, SETTINGS.firstKeyFile].map(
  ({ variable }): string => variable,
);

/**
 * Opens the database that the settings name. A typing error in the name of a variable must not
 * become an empty catalogue: while such a variable is set, there has to be a catalogue already.
 */
export async function openConfigured(
  config: DatabaseConfig,
  options: OpenOptions = {},
): Promise<Database> {
  const suspect = misspeltVariables().find(({ meant }) => DECISIVE.includes(meant));
  if (suspect === undefined || options.mayCreate === false) {
    return openDatabase(config.database, config, options);
  }
  try {
    return await openDatabase(config.database, config, { ...options, mayCreate: false });
  } catch (error) {
    if (!(error instanceof StorageError && error.failure === 'absent')) throw error;
    throw new SettingError(
      `There is no catalogue at ${nameOf(config.database)}, and none is created while ${suspect.name} is set: correct it, or unset it.`,
    );
  }
}

/** Opens the database for one command, and closes it whatever happens. */
export async function withDatabase<T>(
  config: DatabaseConfig,
  work: (database: Database) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const database = await openConfigured(config, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The same for a command that has nothing to do where there is no database yet, and must not make one. */
export const withExistingDatabase = <T>(
  config: DatabaseConfig,
  work: (database: Database) => Promise<T>,
): Promise<T> => withDatabase(config, work, { mayCreate: false });

/** What may be told of where the database is. */
export const nameOf = withoutPassword;
