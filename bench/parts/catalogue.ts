import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { importRows } from '../ours.ts';
import { CACHE_FOLDER } from '../paths.ts';
import type { Place } from '../place.ts';
import { rowsFile } from '../rows.ts';

/**
 * A copy of a catalogue with this many animals, at `path`. The catalogue itself is made when it is
 * asked for first, which takes minutes for a large one, and kept.
 */
export async function copyCatalogue(place: Place, count: number, path: string): Promise<string> {
  const kept = join(CACHE_FOLDER, `catalogue-${count}.db`);
  if (!existsSync(kept)) await makeCatalogue(place, count, kept);
  copyFileSync(kept, path, constants.COPYFILE_FICLONE);
  return path;
}

async function makeCatalogue(place: Place, count: number, path: string): Promise<void> {
  console.error(`Making a catalogue of ${count.toLocaleString('en')} animals …`);
  const unfinished = join(place.folder('making'), 'catalogue.db');
  const rows = await rowsFile(count);
  await importRows(place, unfinished, rows);
  renameSync(unfinished, path);
  rmSync(rows.path);
}
