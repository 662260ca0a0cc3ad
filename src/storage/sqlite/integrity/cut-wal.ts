import { closeSync, openSync, readSync } from 'node:fs';
import type { WalContent, WalIndex } from '../connections/wal-index.ts';
import { FRAME_HEADER_BYTES, SALT_BYTES, SALT_IN_WAL, walBytes } from './wal-format.ts';

const MAX_FRAME_BYTES = FRAME_HEADER_BYTES + 65_536;

/**
 * Detects that the -wal was cut short while the database is open. SQLite does not: it writes behind the end that it
 * remembers, and the file gets a gap.
 */
export interface WalWatch {
  /**
   * Compares the -wal with its index, in 2 µs. Before the work of a transaction, it finds any cut. After COMMIT, it also
   * finds a cut that was made in between: it compares the frame that was the last one before. It misses a cut within the
   * frames that COMMIT is writing.
   */
  isCut(): boolean;
  close(): void;
}

/** Watches the -wal of a database file that is open. Without an index it finds nothing. */
export function watchWal(databasePath: string, index: WalIndex | undefined): WalWatch {
  if (index === undefined) return { isCut: () => false, close() {} };
  const file = openSync(`${databasePath}-wal`, 'r');
  const salt = Buffer.alloc(SALT_BYTES);
  const hasHeader = ({ salt: [first, second] }: WalContent): boolean =>
    readSync(file, salt, 0, SALT_BYTES, SALT_IN_WAL) === SALT_BYTES &&
    salt.readUInt32LE(0) === first &&
    salt.readUInt32LE(4) === second;
  const readLastFrame = ({ frames, pageSize }: WalContent, into: Buffer): boolean => {
    const length = FRAME_HEADER_BYTES + pageSize;
    return readSync(file, into, 0, length, walBytes(frames - 1, pageSize)) === length;
  };
  /** The content at the last check, and its last frame. */
  let known: WalContent = { frames: 0, pageSize: 0, salt: [0, 0] };
  let knownFrame = Buffer.alloc(MAX_FRAME_BYTES);
  let frame = Buffer.alloc(MAX_FRAME_BYTES);
  const keepsKnownFrame = (): boolean => {
    const length = FRAME_HEADER_BYTES + known.pageSize;
    return readLastFrame(known, frame) && frame.compare(knownFrame, 0, length, 0, length) === 0;
  };
  const learn = (content: WalContent): boolean => {
    if (content.frames > 0 && !readLastFrame(content, frame)) return false;
    [knownFrame, frame] = [frame, knownFrame];
    known = content;
    return true;
  };
  const isWhole = (content: WalContent): boolean => {
    if (content.frames > 0 && !hasHeader(content)) return false;
    // Another salt: the -wal was reset, after the database file had all of it.
    const continues = known.frames > 0 && hasSameSalt(known, content);
    if (continues && !keepsKnownFrame()) return false;
    return (continues && known.frames === content.frames) || learn(content);
  };
  let isClosed = false;
  return {
    isCut() {
      for (;;) {
        const content = index.content();
        if (content === undefined || isWhole(content)) return false;
        // Without the write lock, another process may have changed both in between.
        const now = index.content();
        if (now?.frames === content.frames && hasSameSalt(now, content)) return true;
      }
    },
    close() {
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
}

const hasSameSalt = ({ salt: one }: WalContent, { salt: other }: WalContent): boolean =>
  one[0] === other[0] && one[1] === other[1];
