import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StorageError } from '../../database.ts';
import type { CopyOptions, RestoreResult } from '../../maintenance.ts';
import { canLock, tryLockDatabase, tryLockIndex } from '../connections/file-locks.ts';
import { withPrivateUmask } from '../connections/private-umask.ts';
import { requireFile } from '../integrity/file-check.ts';
import { requireNoPartOf } from './backup.ts';
import { chooseReplacedPath, exchangeSteps } from './exchange.ts';
import { withVerifiedCopy } from './verified-copy.ts';

/** As `Backups.restore`. */
export async function restore(
  path: string,
  file: string,
  options: CopyOptions,
): Promise<RestoreResult> {
  requireFile(path);
  requireNoPartOf(path, file);
  lockUnused(path)();
  withPrivateUmask(() => mkdirSync(dirname(path), { recursive: true }));
  return withVerifiedCopy(file, path, { ...options, acceptsForeign: false }, (copy, result) => {
    giveAccessOf(path, copy);
    const replaced = chooseReplacedPath(path);
    const unlock = lockUnused(path);
    try {
      for (const step of exchangeSteps(path, copy, replaced)) step();
    } finally {
      unlock();
    }
    return { ...result, replaced: [replaced, `${replaced}-wal`].find(existsSync) };
  });
}

/**
 * Locks the files of a database that no process uses, and returns a function that releases them. A process that uses the
 * database holds locks on the file and on its -shm file, also if one of them was removed or is damaged.
 * @throws StorageError if a process uses the database.
 */
function lockUnused(path: string): () => void {
  const inUse = new StorageError(
    'refused',
    `${path} is in use: stop the service and everything else that has it open.`,
  );
  const opened: number[] = [];
  const unlock = () => {
    for (const file of opened) closeSync(file);
  };
  try {
    for (const [file, tryLock] of [
      [path, tryLockDatabase],
      [`${path}-shm`, tryLockIndex],
    ] as const) {
      if (!existsSync(file)) continue;
      if (!canLock && file !== path) throw unknownUse(path);
      const descriptor = openSync(file, 'r+');
      opened.push(descriptor);
      if (canLock && !tryLock(descriptor)) throw inUse;
    }
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Where locks cannot be read, the -shm file stands for them: the last process that closes the database removes it. */
const unknownUse = (path: string): StorageError =>
  new StorageError(
    'refused',
    `${path} may be in use: stop the service and everything else that has it open, and then remove ${path}-shm if it is still there.`,
  );

/** Gives the copy the mode and the owner of the file that it replaces, so that the service can open it. */
function giveAccessOf(path: string, copy: string): void {
  const replaced = statSync(path, { throwIfNoEntry: false });
  if (replaced?.isFile()) chmodSync(copy, replaced.mode & 0o777);
  const { uid, gid } = replaced ?? statSync(dirname(path));
  // Only root may give a file away.
  if (process.getuid?.() === 0) chownSync(copy, uid, gid);
}
