/** The -wal is a header and frames: a page each, after a header of its own (sqlite.org/walformat.html). */
export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;

/** Where the two words of the salt are in the header of the file, and in that of a frame. */
export const SALT_IN_WAL = 16;
export const SALT_IN_FRAME = 8;
export const SALT_BYTES = 8;

export const saltAt = (bytes: Buffer, position: number): Buffer =>
  bytes.subarray(position, position + SALT_BYTES);

/** The size in bytes of a -wal with so many frames, which is where the next frame begins. */
export const walBytes = (frames: number, pageSize: number): number =>
  WAL_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageSize);
