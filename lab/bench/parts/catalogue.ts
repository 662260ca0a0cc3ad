import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { currentVersion } from '../../../src/storage/sqlite/schema/migrate.ts';
import { importRows, oursOn, startOursOn } from '../ours.ts';
import { oursOnPostgresAs } from '../ours-on-postgres.ts';
import { CACHE_FOLDER } from '../paths.ts';
import { startPostgres } from '../postgres.ts';
import { rowsFile } from '../rows.ts';
import { type RunningServer, type ServerEntry, startServer } from '../server.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Copies a catalogue with this many animals to `path`. The catalogue is created at its first use, which takes minutes if it is
 * large, and stays in the cache until the schema changes.
 */
export async function copyCatalogue(
  workspace: Workspace,
  count: number,
  path: string,
): Promise<string> {
  const cached = join(CACHE_FOLDER, `catalogue-${count}-schema-${currentVersion()}.db`);
  if (!existsSync(cached)) await createCatalogue(workspace, count, cached);
  copyFileSync(cached, path, constants.COPYFILE_FICLONE);
  return path;
}

async function createCatalogue(workspace: Workspace, count: number, path: string): Promise<void> {
  console.error(`Creating a catalogue of ${count.toLocaleString('en')} animals …`);
  const unfinished = join(workspace.folder('unfinished'), 'catalogue.db');
  const rows = await rowsFile(count);
  await importRows(workspace, unfinished, rows);
  renameSync(unfinished, path);
  rmSync(rows.path);
}

/** The copy of a catalogue that a server of this name uses. */
export const copyFor = (workspace: Workspace, name: string): string =>
  join(workspace.folder(name), 'animals.db');

/**
 * Starts the service on a copy of a catalogue with this many animals.
 * @param entryOf called with the path of the copy.
 */
export async function startOnCopy(
  workspace: Workspace,
  count: number,
  name: string,
  entryOf: (database: string) => ServerEntry,
): Promise<RunningServer> {
  const database = await copyCatalogue(workspace, count, copyFor(workspace, name));
  const rows = { path: '', count };
  return (await startOursOn(workspace, database, entryOf(database), rows)).server;
}

/** Starts the service on both engines, with this many animals each. @param name of the database on PostgreSQL. */
export async function startOnBoth(workspace: Workspace, count: number, name: string) {
  const postgres = await startPostgres(workspace);
  const onSqlite = await startOnCopy(workspace, count, 'sqlite', (database) =>
    oursOn(database, 'sqlite', 'SQLite'),
  );
  const rows = await rowsFile(count);
  const entry = oursOnPostgresAs(name, 'PostgreSQL');
  const onPostgres = await startServer(workspace, entry, { rows, key: '', postgres });
  return { onSqlite, onPostgres, postgres, rows };
}
