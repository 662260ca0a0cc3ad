import { existsSync, renameSync, rmSync } from 'node:fs';
import { systemClock, toIso } from '../../../clock.ts';
import { StorageError } from '../../database.ts';
import { syncFolderOf } from '../../sync-folder.ts';
import {
  createRestoreMarker,
  interruptedRestore,
  removeRestoreMarker,
} from '../integrity/restore-marker.ts';

/**
 * The path that a replaced database file gets. After an interrupted restore, it is the path of that restore: the names of the
 * old files then belong together.
 */
export function chooseReplacedPath(path: string): string {
  const interrupted = interruptedRestore(path)?.replaced;
  // If both exist, the interrupted restore has put its copy in place.
  if (interrupted !== undefined && !(existsSync(interrupted) && existsSync(path)))
    return interrupted;
  const time = toIso(systemClock.now()).replaceAll(/[-:]/g, '');
  return `${path}-replaced-${time}`;
}

/** What moves with the database file, in this order. */
const SUFFIXES = ['-wal', '-journal', '-damaged', ''];

/**
 * Exchanges a database for a copy of another one, while no process uses the database. A failure before the copy is in place, such as
 * of a file that is a mount and cannot be renamed, is undone: the database is as before.
 * @param replaced as `chooseReplacedPath` returns it.
 */
export function exchange(path: string, copy: string, replaced: string): void {
  const interrupted = interruptedRestore(path)?.replaced;
  try {
    for (const step of exchangeSteps(path, copy, replaced)) step();
  } catch (error) {
    const reason = `The files of ${path} cannot be exchanged: ${(error as Error).message}`;
    const fail = (outcome: string) =>
      new StorageError('unavailable', `${reason}. ${outcome}`, { cause: error });
    const unfinished = 'Run `animal-store restore FILE` again: the restore is unfinished.';
    // Without the copy, it is in place. With another path in the marker, the copy of an interrupted restore was.
    if (!existsSync(copy) || (interrupted ?? replaced) !== replaced) throw fail(unfinished);
    try {
      undoExchange(path, replaced);
    } catch {
      throw fail(unfinished);
    }
    throw fail('Nothing was restored.');
  }
}

/** Renames all files back, also those that an interrupted restore has renamed. A crash leaves the marker until all of them are on disk. */
function undoExchange(path: string, replaced: string): void {
  for (const suffix of SUFFIXES.toReversed())
    if (existsSync(replaced + suffix)) renameSync(replaced + suffix, path + suffix);
  syncFolderOf(path);
  removeRestoreMarker(path);
  syncFolderOf(path);
}

/**
 * The steps of `exchange`, in their order. A crash between two of them leaves the marker, with which no process opens the database: another
 * exchange completes it. Nothing of the old database is deleted but its index of the WAL, which holds no data.
 */
export function exchangeSteps(path: string, copy: string, replaced: string): (() => void)[] {
  const renames = SUFFIXES.map((suffix) => () => {
    if (existsSync(path + suffix)) renameSync(path + suffix, replaced + suffix);
  });
  const sync = () => syncFolderOf(path);
  return [
    () => createRestoreMarker(path, replaced),
    sync,
    () => rmSync(`${path}-shm`, { force: true }),
    ...renames,
    () => renameSync(copy, path),
    sync,
    () => removeRestoreMarker(path),
    sync,
  ];
}
