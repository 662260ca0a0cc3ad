import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Waits until the names in the folder of a file are on disk. Without it, a crash can lose a new file or a rename. */
export function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Creates the folder of a file, and all folders above it that are missing. Waits until their names are on disk: a crash could lose a
 * new folder with everything in it, even with files that were synced.
 */
export function makeFolderOf(path: string): void {
  const folder = resolve(dirname(path));
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolderOf(made);
}
