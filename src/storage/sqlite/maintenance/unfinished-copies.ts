import { closeSync, existsSync, fstatSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSame, statOf } from '../../same-file.ts';
import { canLock, tryLockCopy } from '../connections/file-locks.ts';

/**
 * The copies of backups and restores before they are complete. A process locks its copy as long as it writes, so a copy
 * that nobody has locked was left by a process that was killed. Copies of versions that did not lock have another ending.
 */
const ENDING = 'animal-store-unfinished';

/** SQLite's journal of a copy. */
const JOURNAL = '-journal';

const UNFINISHED = new RegExp(`\\.[0-9a-f]{8}\\.${ENDING}(?:${JOURNAL})?$`);

export interface UnfinishedCopy {
  readonly path: string;
  /** Holds the lock until it is closed. */
  readonly file: FileHandle;
}

/** How long another process may need to remove a file that it has locked. */
const LOCK_ATTEMPTS = 20;
const LOCK_PAUSE_MS = 10;

/** Creates an empty copy beside a target, with mode 0600, and locks it. */
export async function createUnfinished(target: string): Promise<UnfinishedCopy> {
  for (;;) {
    const path = `${target}.${crypto.randomUUID().slice(0, 8)}.${ENDING}`;
    const file = await open(path, 'wx', 0o600);
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
      if (!canLock || tryLockCopy(file.fd) || !isAt(file.fd, path)) break;
      await sleep(LOCK_PAUSE_MS);
    }
    // If it is still there without a lock, nobody can lock files here, so nobody removes it either.
    if (isAt(file.fd, path)) return { path, file };
    // Another process took it for an abandoned copy before it was locked.
    await file.close();
  }
}

/** Removes the copies in the folder of a target that killed processes left there, and journals without their copies. Returns their paths. */
export function removeAbandoned(target: string): string[] {
  if (!canLock) return [];
  const folder = dirname(target);
  return readdirSync(folder)
    .filter((name) => UNFINISHED.test(name))
    .map((name) => join(folder, name))
    .filter((path) => (path.endsWith(JOURNAL) ? removeWithoutCopy(path) : removeUnlocked(path)));
}

/** Removes a copy, unless its writer is at work or this user has no right to. */
function removeUnlocked(path: string): boolean {
  let descriptor: number | undefined;
  try {
    if (!statSync(path).isFile()) return false;
    descriptor = openSync(path, 'r+');
    if (!tryLockCopy(descriptor)) return false;
    for (const suffix of ['', JOURNAL]) rmSync(path + suffix, { force: true });
    return true;
  } catch {
    // Another process may have removed it. If not, it stays: it hinders nobody.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Removes a journal whose copy is gone: a kill between the two removals leaves it, or a power failure that only loses the copy. */
function removeWithoutCopy(journal: string): boolean {
  if (existsSync(journal.slice(0, -JOURNAL.length))) return false;
  try {
    rmSync(journal);
    return true;
  } catch {
    // It was removed with its copy. Or it is a folder, or of another user, and stays.
    return false;
  }
}

/** Whether an open file is the one at a path. */
export const isAt = (descriptor: number, path: string): boolean =>
  isSame(fstatSync(descriptor), statOf(path));
