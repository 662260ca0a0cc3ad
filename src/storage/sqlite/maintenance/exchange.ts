import { existsSync, renameSync, rmSync } from 'node:fs';
import { systemClock, toIso } from '../../../clock.ts';
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

/**
 * The steps that exchange a database for a copy of another one. The caller runs all of them, in their order, while no process
 * uses the database. A crash between two of them leaves the marker, with which no process opens the database: another
 * exchange completes it. Nothing of the old database is deleted but its index of the WAL, which holds no data.
 */
export function exchangeSteps(path: string, copy: string, replaced: string): (() => void)[] {
  const rename = (suffix: string) => () => {
    if (existsSync(path + suffix)) renameSync(path + suffix, replaced + suffix);
  };
  const sync = () => syncFolderOf(path);
  return [
    () => createRestoreMarker(path, replaced),
    sync,
    rename('-wal'),
    rename('-journal'),
    rename('-damaged'),
    () => rmSync(`${path}-shm`, { force: true }),
    rename(''),
    () => renameSync(copy, path),
    sync,
    () => removeRestoreMarker(path),
    sync,
  ];
}
