import { existsSync, realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StorageError } from '../../database.ts';
import type { BackupOptions, CopyResult } from '../../maintenance.ts';
import { isSameFile, statOf } from '../../same-file.ts';
import { syncFolderOf } from '../../sync-folder.ts';
import { realPathOf } from '../connections/real-path.ts';
import { hasLostChanges } from '../integrity/damage-marker.ts';
import { missingChanges } from '../integrity/file-check.ts';
import { damagedError } from '../integrity/integrity-check.ts';
import { recordBackup } from './record-backup.ts';
import { withVerifiedCopy } from './verified-copy.ts';

/** The files of a database, by what follows its path. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '-damaged', '-restoring'];

/** As `Backups.backUp`. */
export async function backUp(
  path: string,
  file: string,
  { replace, now, ...options }: BackupOptions,
): Promise<CopyResult> {
  requireNoPartOf(path, file);
  const requireAllowed = () => {
    // It would take the place of a backup that has the changes.
    if (hasLostChanges(path)) throw damagedError(path, missingChanges(path));
    const existing = statOf(file);
    if (existing && !existing.isFile())
      throw new StorageError('refused', `${file} is not a file: name a new file.`);
    if (existing && !replace)
      throw new StorageError('refused', `${file} exists: name a new file, or add --replace.`);
  };
  requireAllowed();
  const target = existsSync(file) ? realpathSync(file) : file;
  // A backup with a foreign trigger is better than none.
  const result = await withVerifiedCopy(
    path,
    target,
    { ...options, acceptsForeign: true },
    (copy, result) => {
      requireAllowed();
      renameSync(copy, target);
      syncFolderOf(target);
      return result;
    },
  );
  const obstacle = recordBackup(path, now());
  if (obstacle !== undefined)
    options.onWarning(`The time of the backup cannot be recorded in ${path}: ${obstacle}.`);
  return result;
}

/** Refuses a file that is the database, or belongs to it. */
export function requireNoPartOf(path: string, file: string): void {
  const place = placeOf(file);
  const parts = SUFFIXES.map((suffix) => realPathOf(path) + suffix);
  const isPart = parts.some((part) => placeOf(part) === place || isSameFile(part, file));
  if (isPart)
    throw new StorageError('refused', `${file} belongs to the database itself: name another file.`);
}

/** The path of a file without symbolic links. The file may be missing. */
function placeOf(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const folder = dirname(file);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file));
}
