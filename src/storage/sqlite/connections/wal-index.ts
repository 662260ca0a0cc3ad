import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';
import { libc } from './libc.ts';
import type { VersionWatch } from './version-watch.ts';

/**
 * The header of the WAL-index, shared memory of all processes that have the file open
 * (sqlite.org/walformat.html#the_wal_index_file_format): an int32 version, …, and at byte 40 the
 * header's checksum, which changes on every commit, before the commit is acknowledged.
 */
const HEADER_BYTES = 48;
const FORMAT_VERSION = 3_007_000;
const CHECKSUM = 10;

const PROT_READ = 1;
const MAP_SHARED = 1;

/**
 * Reads the WAL-index directly: 10 ns instead of 800 ns for PRAGMA data_version, which is a sixth of
 * the time of a cached response. Undefined if that is not possible: use the pragma then.
 *
 * The -shm file must stay open as long as SQLite has it open: closing it would release the locks
 * that this process holds on it (fcntl).
 */
export function openWalIndex(databasePath: string): VersionWatch | undefined {
  if (libc === undefined) return undefined;
  const { mmap, munmap } = libc;
  const file = openShared(databasePath);
  if (file === undefined) return undefined;
  // The early returns from here on leave the file open, for the reason above.
  const address = mmap(null, HEADER_BYTES, PROT_READ, MAP_SHARED, file, 0);
  if (address === null || Number(address) === -1) return undefined;
  const header = new Uint32Array(toArrayBuffer(address, 0, HEADER_BYTES));
  if (header[0] !== FORMAT_VERSION) return undefined;
  let [first, second] = [header[CHECKSUM], header[CHECKSUM + 1]];
  let version = 0;
  let isClosed = false;
  return {
    version() {
      if (isClosed) return version;
      if (header[CHECKSUM] !== first || header[CHECKSUM + 1] !== second) {
        first = header[CHECKSUM];
        second = header[CHECKSUM + 1];
        version += 1;
      }
      return version;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      munmap(address as Pointer, HEADER_BYTES);
      closeSync(file);
    },
  };
}

function openShared(databasePath: string): number | undefined {
  try {
    return openSync(`${databasePath}-shm`, 'r');
  } catch {
    return undefined;
  }
}
