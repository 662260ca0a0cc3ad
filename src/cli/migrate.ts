import { Command } from 'commander';
import { isPostgresUrl, withoutPassword } from '../storage/database-url.ts';
import { withSettings } from './command.ts';
import { DATABASE_SETTINGS, openConfigured } from './database.ts';
import { CommandFailed } from './failures.ts';
import type { Io } from './io.ts';
import { maintenanceOf } from './maintenance.ts';

interface Flags {
  readonly check?: true;
}

export function migrateCommand(io: Io): Command {
  const command = new Command('migrate')
    .description('bring the schema of a database to the version of this program')
    .option('--check', 'change nothing; exit with status 1 if the schema is not current');
  return withSettings(io, command, DATABASE_SETTINGS, async ({ check }: Flags, config) => {
    const maintenance = maintenanceOf(config);
    const name = withoutPassword(config.database);
    const { stored, current } = await maintenance.schema();
    if (stored === current) return io.message(`${name} already has schema ${current}.`);
    const state = stored === undefined ? 'has no catalogue' : `has schema ${stored}`;
    if (check) {
      const hint = stored === undefined ? '' : ' Stop all instances before you migrate it.';
      throw new CommandFailed(`${name} ${state}, and this program needs schema ${current}.${hint}`);
    }
    // In PostgreSQL, the owner of the database creates the tables with this command. A missing file is a mistaken path.
    const mayCreate = isPostgresUrl(config.database);
    // This command prints its own message.
    await (await openConfigured(io, config, { mayCreate, onMigrated: () => {} })).close();
    io.message(
      stored === undefined
        ? `Created a catalogue with schema ${current} in ${name}.`
        : `Migrated ${name} from schema ${stored} to ${current}.`,
    );
  });
}
