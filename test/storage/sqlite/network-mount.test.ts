/** SQLite's WAL works on one machine only, so a database on a network mount is refused. The trial `network-mount` mounts one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  fileSystemOf,
  isNetwork,
  requireLocalDisk,
} from '../../../src/storage/sqlite/integrity/network-mount.ts';
import { canMount } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:52 /stores /srv/stores rw,relatime shared:2 master:7 - nfs4 10.0.0.5:/stores rw,vers=4.2
41 22 0:53 / /mnt/space\\040 rw - fuse.sshfs user@host:/ rw
42 22 259:70001 / /data rw - xfs /dev/nvme0n1p1 rw`;

/** Linux's number of a device. */
const device = (major: bigint, minor: bigint): bigint =>
  (major << 8n) | (minor & 0xffn) | ((minor & ~0xffn) << 12n);

test('the file system of a path is found by the number of its device', () => {
  expect(fileSystemOf(MOUNTS, device(8n, 1n))).toBe('ext4');
  expect(fileSystemOf(MOUNTS, device(0n, 52n))).toBe('nfs4');
  expect(fileSystemOf(MOUNTS, device(0n, 53n))).toBe('fuse.sshfs');
  expect(fileSystemOf(MOUNTS, device(259n, 70_001n))).toBe('xfs');
  expect(fileSystemOf(MOUNTS, device(9n, 9n))).toBeUndefined();
  expect(fileSystemOf('', device(8n, 1n))).toBeUndefined();
});

test('of several mounts of a device the last one counts', () => {
  const mounts = `${MOUNTS}\n50 22 8:1 / /other rw - cifs //host/share rw`;
  expect(fileSystemOf(mounts, device(8n, 1n))).toBe('cifs');
});

test.each(['nfs', 'nfs4', 'cifs', 'smb3', 'ceph', 'fuse.sshfs', 'fuse.glusterfs'])(
  '%s is a network mount',
  (name) => {
    expect(isNetwork(name)).toBe(true);
  },
);

test.each(['ext4', 'xfs', 'btrfs', 'zfs', 'tmpfs', 'overlay', '9p', 'virtiofs', 'fuse', 'fuseblk'])(
  '%s is none',
  (name) => {
    expect(isNetwork(name)).toBe(false);
  },
);

test('a folder that does not exist yet is on the disk of the nearest one that does', () => {
  expect(() => requireLocalDisk(`${tmpdir()}/none/of/these/animals.db`)).not.toThrow();
  expect(() => requireLocalDisk('none/of/these/animals.db')).not.toThrow();
});

/** Files of databases, each of which is a mount. */
const BOUND = ['single.db', 'log.db-wal', 'index.db-shm'];

/** The mounts of this process, with the file system of a folder under another name. */
function mountsWith(folder: string, fileSystem: string): string {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  return mounts.replace(new RegExp(`^(.* ${folder} .* - )\\S+`, 'm'), `$1${fileSystem}`);
}

describe.skipIf(!canMount)('with another disk under the name of a network (needs root)', () => {
  let place: ReturnType<typeof temporaryFolder>;
  let mounts: string;
  const mounted = (name: string) => join(place.file('disk'), name);
  const bind = (name: string) => {
    writeFileSync(mounted(name), '');
    writeFileSync(place.file(name), '');
    expect(Bun.spawnSync(['mount', '--bind', mounted(name), place.file(name)]).exitCode).toBe(0);
  };
  beforeAll(() => {
    place = temporaryFolder();
    mkdirSync(place.file('disk'));
    Bun.spawnSync(['mount', '-t', 'tmpfs', 'tmpfs', place.file('disk')]);
    mounts = mountsWith(place.file('disk'), 'nfs4');
  });
  afterAll(() => {
    const paths = ['disk', ...BOUND].map(place.file);
    Bun.spawnSync(['umount', '--lazy', ...paths]);
    place.remove();
  });

  test.each(BOUND)(
    'a mount of the single file %s is refused, in an otherwise local folder',
    (name) => {
      bind(name);
      const path = place.file(name.replace(/-(?:wal|shm)$/, ''));
      expect(() => requireLocalDisk(path, mounts)).toThrow(
        `${place.file(name)} is on a network mount (nfs4)`,
      );
      expect(() => requireLocalDisk(path)).not.toThrow();
    },
  );

  test('a file in the mounted folder is refused, also if neither it nor its folder exists', () => {
    for (const path of [mounted('own.db'), mounted('no/such/folder/own.db')])
      expect(() => requireLocalDisk(path, mounts)).toThrow(`${path} is on a network mount (nfs4)`);
  });

  test('a file beside the mounts is not', () => {
    expect(() => requireLocalDisk(place.file('own.db'), mounts)).not.toThrow();
  });
});
