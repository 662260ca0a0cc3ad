import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { processWithLock } from '../connections/file-locks.ts';
import {
  FRAME_HEADER_BYTES,
  SALT_IN_FRAME,
  SALT_IN_WAL,
  saltAt,
  WAL_HEADER_BYTES,
} from './wal-format.ts';

/** The longest tick of Linux (100 a second). A change time may be that of the beginning of its tick, while a modification time is exact. */
const TICK_NS = 10_000_000n;

/** Whether the database file at this path has a WAL with frames. */
export const hasWalFrames = (path: string): boolean =>
  (walStatus(path)?.size ?? 0) > WAL_HEADER_BYTES;

/** Undefined if there is no WAL: the last process that closes the database removes it at any moment. */
const walStatus = (path: string) =>
  statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });

/**
 * Whether the WAL beside a database file may belong to another file: an operator restored a backup and left the old
 * WAL, which SQLite would write into the backup. The WAL does not identify its database file.
 *
 * A copied or moved file has a ctime after the last write to the WAL because ctime cannot be set. A checkpoint has the
 * same effect, but then the file contains all pages of the WAL.
 */
export function mayBelongToAnotherFile(path: string): boolean {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  const wal = walStatus(path);
  if (file === undefined || wal === undefined || file.ctimeNs + TICK_NS <= wal.mtimeNs)
    return false;
  const descriptor = openSync(path, 'r');
  const holder = processWithLock(descriptor);
  // The file stays open: closing it would release the locks of this process on it (fcntl).
  if (holder === process.pid) return false;
  try {
    // A process that has the file open has made this check already.
    return holder === undefined && !isCheckpointed(descriptor, path);
  } catch (error) {
    if (walStatus(path) === undefined) return false;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the file contains the newest committed version of each page in the WAL. */
function isCheckpointed(file: number, path: string): boolean {
  const wal = openSync(`${path}-wal`, 'r');
  try {
    const header = read(wal, 0, WAL_HEADER_BYTES);
    const pageSize = header.readUInt32BE(8);
    if (pageSize < 512 || pageSize > 65_536) return false;
    for (const [page, position] of committedPages(wal, saltAt(header, SALT_IN_WAL), pageSize)) {
      const stored = read(file, (page - 1) * pageSize, pageSize);
      if (!stored.equals(read(wal, position, pageSize))) return false;
    }
    return true;
  } finally {
    closeSync(wal);
  }
}

/** The position in the WAL of each page's newest committed version. `salt` is in every frame since the last reset. */
function committedPages(wal: number, salt: Buffer, pageSize: number): Map<number, number> {
  const committed = new Map<number, number>();
  let transaction: [page: number, position: number][] = [];
  for (let position = WAL_HEADER_BYTES; ; position += FRAME_HEADER_BYTES + pageSize) {
    const header = read(wal, position, FRAME_HEADER_BYTES);
    if (header.length < FRAME_HEADER_BYTES || !saltAt(header, SALT_IN_FRAME).equals(salt)) break;
    transaction.push([header.readUInt32BE(0), position + FRAME_HEADER_BYTES]);
    const isCommit = header.readUInt32BE(4) !== 0;
    if (!isCommit) continue;
    for (const [page, start] of transaction) committed.set(page, start);
    transaction = [];
  }
  return committed;
}

/** Returns fewer bytes at the end of the file. */
function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
