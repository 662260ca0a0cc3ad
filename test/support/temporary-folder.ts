import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. A container may limit it to 64 MiB. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 2 ** 30;

function hasMemoryFolder(): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize > MIN_FREE_BYTES;
}

interface FolderOptions {
  /** In memory if possible, where `fsync` takes no time: for tests that do not need a disk. */
  readonly inMemory?: boolean;
}

/** A new folder for one test, deleted with `remove`. */
export function temporaryFolder({ inMemory = false }: FolderOptions = {}): {
  path: string;
  file: (name: string) => string;
  remove: () => void;
} {
  const parent = inMemory && hasMemoryFolder() ? MEMORY_FOLDER : tmpdir();
  const path = mkdtempSync(join(parent, 'animal-store-'));
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
