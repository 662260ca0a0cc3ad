import { type Stats, statSync } from 'node:fs';
import { StorageError } from '../../database.ts';

interface Identity {
  readonly path: string;
  readonly inode: number;
  readonly device: number;
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
  const [written, all] = [
    [path, `${path}-wal`],
    [path, `${path}-wal`, `${path}-shm`],
  ].map((paths) => paths.flatMap(identify));
  return {
    check: () => written?.forEach(requireSame),
    checkAll: () => all?.forEach(requireSame),
  };
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

function identify(path: string): Identity[] {
  const stat = statOf(path);
  return stat === undefined ? [] : [{ path, inode: stat.ino, device: stat.dev }];
}

function requireSame({ path, inode, device }: Identity): void {
  const stat = statOf(path);
  if (stat?.ino === inode && stat.dev === device) return;
  throw new StorageError(
    'unavailable',
    `${path} was removed or replaced while the service runs: restart it, or put the file back.`,
  );
}
