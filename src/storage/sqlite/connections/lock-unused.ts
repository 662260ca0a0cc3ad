import { closeSync, existsSync, openSync } from 'node:fs';
import { StorageError } from '../../database.ts';
import { canLock, tryLockDatabase, tryLockIndex } from './file-locks.ts';

/**
 * Does `work` while it locks the files of a database that no process uses. A process that uses the database holds locks on
 * the file and on its -shm, even on a removed or damaged one.
 * @throws StorageError if a process uses the database.
 */
export function whileUnused(path: string, work: () => void): void {
  const opened: number[] = [];
  try {
    for (const [file, tryLock] of [
      [path, tryLockDatabase],
      [`${path}-shm`, tryLockIndex],
    ] as const) {
      if (!existsSync(file)) continue;
      if (!canLock && file !== path) throw unknownUse(path);
      const descriptor = openSync(file, 'r+');
      opened.push(descriptor);
      if (canLock && !tryLock(descriptor)) throw inUse(path);
    }
    work();
  } finally {
    for (const file of opened) closeSync(file);
  }
}

export const inUse = (path: string): StorageError =>
  new StorageError(
    'refused',
    `${path} is in use: stop the service and everything else that has it open.`,
  );

/** Where locks cannot be read, the -shm file stands for them: the last process that closes the database removes it. */
const unknownUse = (path: string): StorageError =>
  new StorageError(
    'refused',
    `${path} may be in use: stop the service and everything else that has it open, and then remove ${path}-shm if it is still there.`,
  );
