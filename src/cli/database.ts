import { existsSync } from 'node:fs';
import type { Database } from '../storage/database.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import { CommandFailed } from './exit-status.ts';

/** Opens the database for one command, and closes it whatever happens. */
export async function withDatabase<T>(
  path: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openSqlite(path);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The same for a command that has nothing to do where there is no database yet, and must not make one. */
export async function withExistingDatabase<T>(
  path: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) {
    throw new CommandFailed(
      `There is no database at ${path}: name it with --database, or start the service once.`,
    );
  }
  return withDatabase(path, work);
}
