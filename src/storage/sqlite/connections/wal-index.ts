import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';
import { libc } from './libc.ts';
import type { VersionWatch } from './version-watch.ts';

/**
 * The header of the WAL-index, shared memory of all processes that have the file open
 * (sqlite.org/walformat.html#the_wal_index_file_format), as 32-bit integers. It is stored twice: if the two differ, it
 * is being written.
 */
const HEADER_WORDS = 12;
const HEADERS_BYTES = 2 * HEADER_WORDS * 4;
const FORMAT_VERSION = 3_007_000;

/** The words of the header. PAGE_SIZE is the upper half of its word. */
const PAGE_SIZE = 3;
const FRAMES = 4;
const SALT = 8;
/** The header's checksum changes on every commit, before the commit is acknowledged. */
const CHECKSUM = 10;

const PROT_READ = 1;
const MAP_SHARED = 1;

/** What the -wal contains, as SQLite knows it without reading it. */
export interface WalContent {
  /** The number of its frames up to the last commit; 0 after a reset, whatever the file still contains. */
  readonly frames: number;
  readonly pageSize: number;
  /** The two words that the header of the -wal and each of its frames contain. A reset changes them. */
  readonly salt: readonly [number, number];
}

export interface WalIndex extends VersionWatch {
  /** Undefined in the moment in which another process changes it, which needs the write lock. */
  content(): WalContent | undefined;
}

/**
 * Reads the WAL-index directly: 10 ns instead of 800 ns for PRAGMA data_version, which is a sixth of
 * the time of a cached response. Undefined if that is not possible: use the pragma then.
 *
 * The -shm file must stay open as long as SQLite has it open: closing it would release the locks
 * that this process holds on it (fcntl).
 */
export function openWalIndex(databasePath: string): WalIndex | undefined {
  if (libc === undefined) return undefined;
  const { mmap, munmap } = libc;
  const file = openShared(databasePath);
  if (file === undefined) return undefined;
  // The early returns from here on leave the file open, for the reason above.
  const address = mmap(null, HEADERS_BYTES, PROT_READ, MAP_SHARED, file, 0);
  if (address === null || Number(address) === -1) return undefined;
  const words = new Uint32Array(toArrayBuffer(address, 0, HEADERS_BYTES));
  const copied = new Uint32Array(words.length);
  if (words[0] !== FORMAT_VERSION) return undefined;
  let first = words[CHECKSUM];
  let second = words[CHECKSUM + 1];
  let version = 0;
  let isClosed = false;
  const readVersion = () => {
    if (isClosed) return version;
    if (words[CHECKSUM] !== first || words[CHECKSUM + 1] !== second) {
      first = words[CHECKSUM];
      second = words[CHECKSUM + 1];
      version += 1;
    }
    return version;
  };
  return {
    version: readVersion,
    beginCommit() {
      // Nobody else can commit now. What was committed before changes the version.
      readVersion();
      return (isAlone) => {
        const own = [words[CHECKSUM], words[CHECKSUM + 1]];
        // Asked afterwards: a later commit changes the checksum.
        if (!isAlone()) return false;
        [first, second] = own;
        return true;
      };
    },
    content() {
      if (isClosed) return undefined;
      copied.set(words);
      return contentOf(copied);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      munmap(address as Pointer, HEADERS_BYTES);
      closeSync(file);
    },
  };
}

/** Whether both copies of the header are equal: nobody is writing them. */
function isWhole(words: Uint32Array): boolean {
  for (let index = 0; index < HEADER_WORDS; index += 1) {
    if (words[index] !== words[HEADER_WORDS + index]) return false;
  }
  return true;
}

function contentOf(words: Uint32Array): WalContent | undefined {
  if (!isWhole(words)) return undefined;
  const size = (words[PAGE_SIZE] as number) >>> 16;
  return {
    frames: words[FRAMES] as number,
    // 65536 does not fit: it is stored as 1.
    pageSize: size === 1 ? 65_536 : size,
    salt: [words[SALT] as number, words[SALT + 1] as number],
  };
}

function openShared(databasePath: string): number | undefined {
  try {
    return openSync(`${databasePath}-shm`, 'r');
  } catch {
    return undefined;
  }
}
