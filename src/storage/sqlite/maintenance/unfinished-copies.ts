import { closeSync, fstatSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canLock, tryLockCopy, tryLockUnusedCopy } from '../connections/file-locks.ts';

/**
 * The copies of backups and restores before they are complete. A process locks its copy as long as it writes, so a copy
 * that nobody has locked was left by a process that was killed.
 */
const UNFINISHED = /\.[0-9a-f]{8}\.unfinished$/;

export interface UnfinishedCopy {
  readonly path: string;
  /** Holds the lock until it is closed. */
  readonly file: FileHandle;
}

/** Creates an empty copy beside a target, with mode 0600, and locks it. */
export async function createUnfinished(target: string): Promise<UnfinishedCopy> {
  for (;;) {
    const path = `${target}.${crypto.randomUUID().slice(0, 8)}.unfinished`;
    const file = await open(path, 'wx', 0o600);
    if (!canLock || (tryLockCopy(file.fd) && isAt(file.fd, path))) return { path, file };
    // Another process has removed the file before it was locked.
    await file.close();
  }
}

/** Removes the copies in the folder of a target that killed processes left there. Returns their paths. */
export function removeAbandoned(target: string): string[] {
  if (!canLock) return [];
  const folder = dirname(target);
  return readdirSync(folder)
    .filter((name) => UNFINISHED.test(name))
    .map((name) => join(folder, name))
    .filter(removeUnused);
}

/** Removes a copy, unless it is in use or this user has no right to. */
function removeUnused(path: string): boolean {
  let descriptor: number | undefined;
  try {
    if (!statSync(path).isFile()) return false;
    descriptor = openSync(path, 'r+');
    if (!tryLockUnusedCopy(descriptor)) return false;
    for (const suffix of ['', '-journal']) rmSync(path + suffix, { force: true });
    return true;
  } catch {
    // Another process may have removed it. If not, it stays: it hinders nobody.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isAt(descriptor: number, path: string): boolean {
  const opened = fstatSync(descriptor);
  const there = statSync(path, { throwIfNoEntry: false });
  return opened.ino === there?.ino && opened.dev === there.dev;
}
