import { accessSync, constants, existsSync } from 'node:fs';
import { StorageError } from '../../database.ts';
import { isSame, statOf } from '../../same-file.ts';
import { hasDamageMarker, hasLostChanges, removeDamageMarker } from './damage-marker.ts';
import { damagedError } from './integrity-check.ts';
import { interruptedRestore } from './restore-marker.ts';
import { hasWalFrames } from './stale-wal.ts';

/** Refuses what SQLite would open, and make worse. Runs before a file is opened. */
export function checkFile(path: string): void {
  requireWhole(path);
  if (!existsSync(path)) removeDamageMarker(path);
  if (statOf(path)?.size === 0 && hasDamageMarker(path))
    throw damagedError(path, 'the file is empty');
  if (hasLostChanges(path)) throw damagedError(path, missingChanges(path));
}

/** The fault of a file whose -wal was cut short while the database was open. Its content may be consistent. */
export const missingChanges = (path: string): string =>
  `acknowledged changes are missing, because ${path}-wal was cut short: see ${path}-damaged`;

/** Refuses a file that this process cannot read: it would seem to be missing. Accepts a missing file. */
export function requireReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    const reason = code === 'EACCES' ? 'this user has no right to read it' : code;
    throw new StorageError('refused', `${path} cannot be read: ${reason}.`, { cause: error });
  }
}

/**
 * Refuses what is no file, a database of an interrupted restore, and a missing or empty file with a WAL: SQLite would create
 * a new database and delete the WAL. Changes nothing.
 */
export function requireWhole(path: string): void {
  requireReadable(path);
  const restore = interruptedRestore(path);
  if (restore !== undefined) {
    const { replaced } = restore;
    const place =
      replaced !== undefined && existsSync(replaced) ? ` The old database is in ${replaced}.` : '';
    throw new StorageError(
      'refused',
      `A restore of ${path} is running or was interrupted: if none is running, run \`animal-store restore FILE\` again.${place}`,
    );
  }
  // The WAL comes first: another process may be creating both at this moment.
  const hasFrames = hasWalFrames(path);
  const file = statOf(path);
  requireFile(path);
  if (!file?.size && hasFrames) {
    throw damagedError(
      path,
      `the file is ${file ? 'empty' : 'missing'}, but ${path}-wal contains changes to it`,
    );
  }
}

/** Refuses what is neither a file nor missing: opening a pipe would wait for a writer. */
export function requireFile(path: string): void {
  const stat = statOf(path);
  if (stat === undefined || stat.isFile()) return;
  const kind = stat.isDirectory() ? 'a folder' : 'a pipe or a device';
  throw new StorageError('refused', `${path} is ${kind}: the database must be a file.`);
}

/**
 * Runs `open`, which opens the file at this path. Refuses the result if the file was replaced in between: the connection
 * would have the old file and the WAL of the new one.
 */
export function requireSameFile<T extends { close(throwOnError: boolean): void }>(
  path: string,
  open: () => T,
): T {
  const before = statOf(path);
  const opened = open();
  if (before === undefined || isSame(before, statOf(path))) return opened;
  opened.close(true);
  throw new StorageError('unavailable', `${path} was replaced while it was opened: start again.`);
}
