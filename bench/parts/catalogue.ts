import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { currentVersion } from '../../src/storage/sqlite/schema/migrate.ts';
import { importRows, oursOn, startOursOn } from '../ours.ts';
import { CACHE_FOLDER } from '../paths.ts';
import { rowsFile } from '../rows.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Copies a catalogue with this many animals, all of them in the index of names, to `path`. The catalogue is created at its first use,
 * which takes minutes if it is large, and stays in the cache
 * until the schema changes.
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
  const entry = oursOn(unfinished, 'unfinished');
  const { server } = await startOursOn(workspace, unfinished, entry, { path: '', count });
  await server.process.stop();
  renameSync(unfinished, path);
  rmSync(rows.path);
}
