import type { Command } from 'commander';
import { type Config, readConfig, type SettingName } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import { isPostgresUrl } from '../storage/database-url.ts';
import { UsageError } from './failures.ts';
import type { Io } from './io.ts';

/** The flag of all commands with a result. */
export const JSON_FLAG = ['--json', 'print the result as JSON'] as const;

export interface JsonFlag {
  readonly json?: true;
}

/**
 * Completes a command: adds the flags of the settings below its own, and the action. The action gets the flags, the values of
 * the settings and the arguments.
 * @param unoffered settings without a flag here. Their variables are for all commands.
 */
export function withSettings<
  const Names extends SettingName,
  Flags extends object,
  const Unoffered extends SettingName = never,
>(
  io: Io,
  command: Command,
  settings: readonly Names[],
  action: (
    flags: Flags,
    config: Config<Names | Unoffered>,
    args: readonly string[],
  ) => Promise<unknown>,
  unoffered: readonly Unoffered[] = [],
): Command {
  for (const name of settings) addFlag(command, name, SETTINGS[name].description);
  return command.action(async () => {
    // A flag that its parent has, too, belongs to the parent, wherever it is.
    const flags = command.optsWithGlobals();
    const config = readConfig<Names | Unoffered>(
      [...settings, ...unoffered],
      flags,
      io.streams.variables,
    );
    await action(flags as Flags, config, command.args);
  });
}

/** The same for a command that is only for SQLite files. */
export const withSqliteFile = <Flags extends object>(
  io: Io,
  command: Command,
  action: (flags: Flags, database: string, args: readonly string[]) => Promise<unknown>,
): Command =>
  withSettings(
    io,
    addFlag(command, 'database', 'Database of the catalogue: an SQLite file.'),
    [],
    (flags: Flags, { database }, args) => action(flags, requireSqlite(database), args),
    ['database', 'databaseUrlFile'],
  );

function addFlag(command: Command, name: SettingName, description: string): Command {
  const setting = SETTINGS[name];
  const whenUnset = 'default' in setting ? setting.default : setting.whenUnset;
  const explained = `${description} (${setting.variable}; default: ${whenUnset})`;
  return command.option(`${setting.flag} <value>`, explained);
}

function requireSqlite(database: string): string {
  if (!isPostgresUrl(database)) return database;
  throw new UsageError(
    'This command is only for SQLite files. Use pg_dump and pg_restore, or base backups with WAL archiving, or `animal-store copy` into a file and back.',
  );
}
