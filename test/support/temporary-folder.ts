import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. A container may limit it to 64 MiB. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 2 ** 30;

/** A container may forbid programs there. */
const NO_PROGRAMS = new RegExp(`^\\S+ ${MEMORY_FOLDER} \\S+ \\S*\\bnoexec\\b`, 'm');

/** Whether Linux's file system in memory has space, and allows programs if they run there. */
export function hasMemoryFolder(runsPrograms: boolean): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false;
  if (runsPrograms && NO_PROGRAMS.test(readFileSync('/proc/mounts', 'utf8'))) return false;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize > MIN_FREE_BYTES;
}

interface FolderOptions {
  /** In memory if possible, where `fsync` takes no time: for tests that do not need a disk. */
  readonly inMemory?: boolean;
  /** Whether the test may run programs in it. */
  readonly runsPrograms?: boolean;
}

interface Folder extends Disposable {
  readonly path: string;
  file(name: string): string;
  remove(): void;
}

/** A new folder for one test, deleted with `remove`. */
export function temporaryFolder({
  inMemory = false,
  runsPrograms = false,
}: FolderOptions = {}): Folder {
  const parent = inMemory && hasMemoryFolder(runsPrograms) ? MEMORY_FOLDER : tmpdir();
  const path = mkdtempSync(join(parent, 'animal-store-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  return { path, file: (name) => join(path, name), remove, [Symbol.dispose]: remove };
}
