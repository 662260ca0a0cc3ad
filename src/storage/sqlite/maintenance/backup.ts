import { existsSync, realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StorageError } from '../../database.ts';
import { PART_OF_DATABASE } from '../../database-url.ts';
import type { BackupOptions, CopyResult } from '../../maintenance.ts';
import { isSameFile, statOf } from '../../same-file.ts';
import { syncFolderOf } from '../../sync-folder.ts';
import { whileUnused } from '../connections/lock-unused.ts';
import { realPathOf } from '../connections/real-path.ts';
import { hasLostChanges } from '../integrity/damage-marker.ts';
import { missingChanges } from '../integrity/file-check.ts';
import { damagedError } from '../integrity/integrity-check.ts';
import { hasWalFrames } from '../integrity/stale-wal.ts';
import { recordBackup } from './record-backup.ts';
import { ENDING } from './unfinished-copies.ts';
import { withVerifiedCopy } from './verified-copy.ts';

/** The files of a database, by what follows its path. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '-damaged', '-restoring', ENDING];

const refused = (sentence: string) => new StorageError('refused', sentence);

/** As `Backups.backUp`. */
export async function backUp(
  path: string,
  file: string,
  { replace, now, ...options }: BackupOptions,
): Promise<CopyResult> {
  requireTarget(path, file);
  const target = existsSync(file) ? realpathSync(file) : file;
  const requireAllowed = () => {
    // It would take the place of a backup that has the changes.
    if (hasLostChanges(path)) throw damagedError(path, missingChanges(path));
    const existing = statOf(file);
    if (existing && !existing.isFile()) throw refused(`${file} is not a file: name a new file.`);
    if (existing && !replace) throw refused(`${file} exists: name a new file, or add --replace.`);
    // SQLite would put the changes of another database into the backup.
    const others = ['-journal', '-damaged', '-restoring'].find((end) => existsSync(target + end));
    const other = hasWalFrames(target) ? '-wal' : others;
    if (other !== undefined)
      throw refused(`${target}${other} belongs to another database at ${file}: name a new file.`);
  };
  requireAllowed();
  whileUnused(target, () => {});
  // A backup with a foreign trigger is better than none.
  const result = await withVerifiedCopy(
    path,
    target,
    { ...options, acceptsForeign: true },
    (copy, result) => {
      whileUnused(target, () => {
        requireAllowed();
        renameSync(copy, target);
      });
      syncFolderOf(target);
      return result;
    },
  );
  const obstacle = recordBackup(path, now());
  if (obstacle !== undefined)
    options.onWarning(`The time of the backup cannot be recorded in ${path}: ${obstacle}.`);
  return result;
}

/** Refuses to write a file that is the database, or belongs to it or to another one. */
export function requireTarget(path: string, file: string): void {
  requireNoPartOf(path, file);
  if (PART_OF_DATABASE.test(file))
    throw refused(`${file} has the name of a part of another database: name another file.`);
}

/** Refuses a file that is the database, or belongs to it. */
export function requireNoPartOf(path: string, file: string): void {
  const place = placeOf(file);
  const parts = SUFFIXES.map((suffix) => realPathOf(path) + suffix);
  const isPart = parts.some((part) => placeOf(part) === place || isSameFile(part, file));
  if (isPart) throw refused(`${file} belongs to the database itself: name another file.`);
}

/** The path of a file without symbolic links. The file may be missing. */
function placeOf(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const folder = dirname(file);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file));
}
