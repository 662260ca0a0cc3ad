import { MAX_BODY_BYTES } from '../http/request/body.ts';

/** A row that could not be sent over HTTP is not imported either: it is held in memory whole. */
export const MAX_ROW_BYTES = MAX_BODY_BYTES;

const MIB = 1024 * 1024;

export const TOO_LONG = `is longer than ${MAX_ROW_BYTES / MIB} MiB`;

/** UTF-8 has at most so many bytes for each UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Whether a row has too many bytes. Only those of a long row are counted. */
export const isTooLong = (row: string): boolean =>
  row.length > MAX_ROW_BYTES / MAX_BYTES_PER_UNIT && Buffer.byteLength(row) > MAX_ROW_BYTES;

/**
 * A JSON array is held in memory whole, and importing it takes some nine times its size: more than
 * this would take more than half a gigabyte.
 */
export const MAX_JSON_BYTES = 64 * MIB;

export const JSON_TOO_LONG = `a JSON array may have at most ${MAX_JSON_BYTES / MIB} MiB: write the rows as NDJSON, one object on each line`;
