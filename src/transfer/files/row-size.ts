import { MAX_BODY_BYTES } from '../../http/request/json-object.ts';

/** The same limit as for a request body because a row is held in memory completely. */
export const MAX_ROW_BYTES = MAX_BODY_BYTES;

const MIB = 1024 * 1024;

export const TOO_LONG = `is longer than ${MAX_ROW_BYTES / MIB} MiB`;

/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

export const byteLength = (text: string): number => encoder.encode(text).length;

/** Whether a row has too many bytes. Counts them only if the row is long. */
export const isTooLong = (row: string): boolean =>
  row.length > MAX_ROW_BYTES / MAX_BYTES_PER_UNIT && byteLength(row) > MAX_ROW_BYTES;

/**
 * A JSON array is held in memory completely, and importing it takes about nine times its size. A
 * larger array would take more than half a gigabyte.
 */
export const MAX_JSON_BYTES = 64 * MIB;

export const JSON_TOO_LONG = `a JSON array must be at most ${MAX_JSON_BYTES / MIB} MiB: use NDJSON instead, one object per line`;
