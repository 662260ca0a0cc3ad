import { ptr } from 'bun:ffi';
import { libc } from './libc.ts';

/** From linux/fcntl.h, the same on all 64-bit architectures. */
const F_OFD_GETLK = 36;
const F_OFD_SETLK = 37;
const F_WRLCK = 1;
const F_UNLCK = 2;

const IS_LITTLE_ENDIAN = true;

interface ByteRange {
  readonly start: bigint;
  readonly length: bigint;
}

/** In WAL mode every connection locks these bytes of the database file while it is open (SHARED_FIRST in SQLite's os.h). */
const SHARED: ByteRange = { start: 0x4000_0002n, length: 510n };

/** All lock bytes of a database file (PENDING_BYTE to the end of SHARED). */
const ALL_LOCKS: ByteRange = { start: 0x4000_0000n, length: 512n };

/** All lock bytes of a -shm file. Every connection in WAL mode locks the last one (UNIX_SHM_DMS in SQLite's os_unix.c). */
const INDEX_LOCKS: ByteRange = { start: 120n, length: 9n };

/** A byte beyond those that SQLite locks. The process that writes a copy locks it. */
const COPY: ByteRange = { start: 0x4000_0400n, length: 1n };

/** The id of a process that has the database file open with SQLite; undefined if there is none or it is unknown. */
export const processWithLock = (file: number): number | undefined => lockOn(file, SHARED);

/** The process that has locked a part of a range, -1 for a lock of `tryLock`. Undefined if there is none or it is unknown. */
function lockOn(file: number, range: ByteRange): number | undefined {
  const flock = flockOf(range);
  if (libc?.fcntl(file, F_OFD_GETLK, ptr(flock)) !== 0) return undefined;
  if (flock.getInt16(0, IS_LITTLE_ENDIAN) === F_UNLCK) return undefined;
  return flock.getInt32(24, IS_LITTLE_ENDIAN);
}

/** Whether `tryLock` works on this system. */
export const canLock: boolean = libc !== undefined;

/**
 * Locks a database file, opened for writing, against all connections of SQLite until the descriptor is closed. Returns false
 * if a connection has it open. The content does not matter: a damaged file can be locked, too.
 */
export const tryLockDatabase = (file: number): boolean => tryLock(file, ALL_LOCKS);

/** The same for a -shm file: shows whether a connection is open whose database file was removed or replaced. */
export const tryLockIndex = (file: number): boolean => tryLock(file, INDEX_LOCKS);

/** Locks a copy, opened for writing, until the descriptor is closed, if files can be locked here. Does not hinder SQLite. */
export const lockCopy = (file: number): void => void tryLock(file, COPY);

/** Whether another process has locked a copy. */
export const isLockedCopy = (file: number): boolean => lockOn(file, COPY) !== undefined;

const tryLock = (file: number, range: ByteRange): boolean =>
  libc?.fcntl(file, F_OFD_SETLK, ptr(flockOf(range))) === 0;

/** A `struct flock` for a write lock on a range. */
function flockOf({ start, length }: ByteRange): DataView<ArrayBuffer> {
  const flock = new DataView(new ArrayBuffer(32));
  flock.setInt16(0, F_WRLCK, IS_LITTLE_ENDIAN);
  flock.setBigInt64(8, start, IS_LITTLE_ENDIAN);
  flock.setBigInt64(16, length, IS_LITTLE_ENDIAN);
  return flock;
}
