import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StorageError } from '../../database.ts';

/**
 * Linux's names of file systems that other machines can change. The WAL needs memory that all processes of a file share: they
 * must be on one machine (https://sqlite.org/wal.html). Names of others, such as 9p, may mean a local disk.
 */
const NETWORK =
  /^(?:nfs4?|cifs|smb3|smbfs|afs|ceph|lustre|glusterfs|fuse\.(?:sshfs|glusterfs|ceph(?:-fuse)?|rclone|s3fs|davfs2?|gcsfuse))$/;

/** The number of a device as `/proc/self/mountinfo` has it: `8:1`. */
const deviceName = (device: bigint): string =>
  `${(device >> 8n) & 0xfffn}:${(device & 0xffn) | ((device >> 12n) & 0xfff00n)}`;

/** The file system of a device in the text of `/proc/self/mountinfo`. Undefined: unknown. */
export function fileSystemOf(mounts: string, device: bigint): string | undefined {
  const name = deviceName(device);
  const mount = mounts.split('\n').findLast((line) => line.split(' ', 3)[2] === name);
  return mount?.split(' - ', 2)[1]?.split(' ', 1)[0];
}

/** Whether files of this file system may be on another machine. */
export const isNetwork = (fileSystem: string): boolean => NETWORK.test(fileSystem);

function mountsOfProcess(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return ''; // Not Linux.
  }
}

/** The nearest folder above a path that exists. */
function existingFolderOf(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : existingFolderOf(folder);
}

/**
 * Refuses a database that is on a network mount, or would be. Each of its files can be a mount of its own: a container mounts
 * single files. Elsewhere than on Linux it knows no mounts.
 * @param realPath without symbolic links: the `-wal` is beside the target of a link.
 * @throws StorageError
 */
export function requireLocalDisk(realPath: string, mounts = mountsOfProcess()): void {
  const files = ['', '-wal', '-shm'].map((suffix) => realPath + suffix);
  // What is absent has no mount. A later step refuses a folder that is a file.
  const existing = files.filter((file) => existsSync(file));
  for (const path of [existingFolderOf(resolve(realPath)), ...existing]) {
    // Another process may remove the -wal at any time.
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    const fileSystem = stats && fileSystemOf(mounts, stats.dev);
    if (fileSystem === undefined || !isNetwork(fileSystem)) continue;
    throw new StorageError(
      'refused',
      `${files.includes(path) ? path : realPath} is on a network mount (${fileSystem}), where SQLite can lose changes: use a disk of this machine, or PostgreSQL.`,
    );
  }
}
