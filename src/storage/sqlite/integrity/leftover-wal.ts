import { ptr } from 'bun:ffi';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { libc } from '../connections/libc.ts';

/** The WAL begins with a header; each page in it has one, too (sqlite.org/walformat.html). */
const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

/** Whether changes to the database file at this path wait in its WAL. */
export const hasChangesInWal = (path: string): boolean =>
  existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > WAL_HEADER_BYTES;

/**
 * Whether the WAL beside a database file may be that of another file: somebody put a backup in the place of the file
 * and left the WAL, which SQLite would write into the backup. Nothing in the WAL tells which file it belongs to.
 *
 * A file that was copied or moved to its place was changed after the WAL was last written, whatever times the copy
 * claims: ctime cannot be set. The same is true after a checkpoint, but then the file has all that is in the WAL.
 */
export function mayBeOfAnotherFile(path: string): boolean {
  const changed = statSync(path, { bigint: true }).ctimeNs;
  if (changed <= statSync(`${path}-wal`, { bigint: true }).mtimeNs) return false;
  const file = openSync(path, 'r');
  const holder = processWithLock(file);
  // Closing the file would end the locks that this process has on it (fcntl).
  if (holder === process.pid) return false;
  try {
    // A process that has the file open has looked already.
    return holder === undefined && !hasAllOfWal(file, path);
  } finally {
    closeSync(file);
  }
}

/** From linux/fcntl.h, the same on all 64-bit machines. */
const F_OFD_GETLK = 36;
const F_WRLCK = 1;
const F_UNLCK = 2;

/** Every connection locks these bytes of the file for as long as it is open (SHARED_FIRST in SQLite's os.h). */
const SHARED_LOCK = { start: 0x4000_0002n, length: 510n };

/** A process that has the database file open with SQLite; undefined where none has, or that cannot be found out. */
function processWithLock(file: number): number | undefined {
  const flock = new DataView(new ArrayBuffer(32));
  const isLittleEndian = true;
  flock.setInt16(0, F_WRLCK, isLittleEndian);
  flock.setBigInt64(8, SHARED_LOCK.start, isLittleEndian);
  flock.setBigInt64(16, SHARED_LOCK.length, isLittleEndian);
  if (libc?.fcntl(file, F_OFD_GETLK, ptr(flock)) !== 0) return undefined;
  if (flock.getInt16(0, isLittleEndian) === F_UNLCK) return undefined;
  return flock.getInt32(24, isLittleEndian);
}

/** Whether the newest version of each page in the WAL is in the file as well. */
function hasAllOfWal(file: number, path: string): boolean {
  const wal = openSync(`${path}-wal`, 'r');
  try {
    const header = read(wal, 0, WAL_HEADER_BYTES);
    const pageSize = header.readUInt32BE(8);
    if (pageSize < 512 || pageSize > 65_536) return false;
    for (const [page, position] of newestPages(wal, header.subarray(16, 24), pageSize)) {
      const ours = read(file, (page - 1) * pageSize, pageSize);
      if (!ours.equals(read(wal, position, pageSize))) return false;
    }
    return true;
  } finally {
    closeSync(wal);
  }
}

/** Where in the WAL the newest committed version of each page begins. @param salt is in every frame since the WAL was last begun anew. */
function newestPages(wal: number, salt: Buffer, pageSize: number): Map<number, number> {
  const committed = new Map<number, number>();
  let transaction: [page: number, position: number][] = [];
  for (let position = WAL_HEADER_BYTES; ; position += FRAME_HEADER_BYTES + pageSize) {
    const header = read(wal, position, FRAME_HEADER_BYTES);
    if (header.length < FRAME_HEADER_BYTES || !header.subarray(8, 16).equals(salt)) break;
    transaction.push([header.readUInt32BE(0), position + FRAME_HEADER_BYTES]);
    const isCommit = header.readUInt32BE(4) !== 0;
    if (!isCommit) continue;
    for (const [page, where] of transaction) committed.set(page, where);
    transaction = [];
  }
  return committed;
}

/** Fewer bytes where the file ends before. */
function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
