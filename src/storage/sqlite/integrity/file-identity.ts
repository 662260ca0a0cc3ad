import type { Stats } from 'node:fs';
import { StorageError } from '../../database.ts';
import { isSame, statOf } from '../../same-file.ts';

interface Remembered {
  readonly path: string;
  readonly stats: Stats;
}

/** Detects that the files of an open database were removed or replaced: what is written to them then is lost. */
export interface FileIdentity {
  /**
   * Checks the database file and its -wal in 3 µs.
   * @throws StorageError if one of them is not the file that was opened.
   */
  check(): void;
  /** Also checks the -shm. Without it, another process would not see the locks of this one. */
  checkAll(): void;
}

/** Remembers the files of a database that is open, at a path without symbolic links. */
export function rememberFiles(path: string): FileIdentity {
  const written = [path, `${path}-wal`].flatMap(remember);
  const all = [...written, ...remember(`${path}-shm`)];
  return {
    check: () => written.forEach(requireSame),
    checkAll: () => all.forEach(requireSame),
  };
}

function remember(path: string): Remembered[] {
  const stats = statOf(path);
  return stats === undefined ? [] : [{ path, stats }];
}

function requireSame({ path, stats }: Remembered): void {
  if (isSame(stats, statOf(path))) return;
  throw new StorageError(
    'unavailable',
    `${path} was removed or replaced while the service runs: restart it, or put the file back.`,
  );
}
