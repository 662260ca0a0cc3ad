import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { StorageError } from '../../database.ts';
import { isSame, statOf } from '../../same-file.ts';
import { isLockedCopy, lockCopy } from '../connections/file-locks.ts';

/** The copy of a backup or a restore, beside its target, before it is complete. */
export const ENDING = '.animal-store-unfinished';

export interface UnfinishedCopy {
  readonly path: string;
  /** Holds the lock, which a process has on its copy, until it is closed. */
  readonly file: FileHandle;
}

/**
 * Creates an empty copy beside a target, with mode 0600. It replaces one that a killed process left.
 * @throws StorageError if another process writes one.
 */
export async function createUnfinished(target: string): Promise<UnfinishedCopy> {
  const path = target + ENDING;
  for (;;) {
    removeAbandoned(path);
    const file = await create(path);
    if (file === undefined) continue;
    lockCopy(file.fd);
    if (isAt(file.fd, path)) return { path, file };
    // Another process took it for an abandoned copy before it was locked.
    await file.close();
  }
}

/** Removes a copy and its journal, with which SQLite would change the next one. */
function removeAbandoned(path: string): void {
  const stat = statOf(path);
  if (stat?.isFile() === false)
    throw new StorageError('refused', `${path} is not a file: remove it.`);
  if (stat) {
    const descriptor = openSync(path, 'r');
    try {
      if (isLockedCopy(descriptor))
        throw new StorageError('refused', `Another process is writing ${path}.`);
    } finally {
      closeSync(descriptor);
    }
  }
  for (const suffix of ['', '-journal']) rmSync(path + suffix, { force: true });
}

/** Undefined if the file exists. */
const create = (path: string): Promise<FileHandle | undefined> =>
  open(path, 'wx', 0o600).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  });

/** Whether an open file is the one at a path. */
export const isAt = (descriptor: number, path: string): boolean =>
  isSame(fstatSync(descriptor), statOf(path));
