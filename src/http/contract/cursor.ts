import type { Int64 } from '../../int64.ts';
import type { TimePosition } from './list-query.ts';

/**
 * A cursor contains the position of the previous page's last item, and a checksum over this position, the list and its query.
 * The checksum detects a cursor that was altered, cut short or used with another list. It is no protection against forgery,
 * and needs none: a forged cursor gives access to nothing that the API key may not read.
 */
const CURSOR = /^[A-Za-z0-9_-]{16}$/;

/** The last character has two bits to spare, which are zero. */
const TIME_CURSOR = /^[A-Za-z0-9_-]{26}[AEIMQUYcgkosw048]$/;

/**
 * Creates a cursor of 16 characters: 8 bytes of id and 4 bytes of CRC-32, in base64url.
 * @param list the path of the list with the text of its query.
 */
export function encodeCursor(lastId: Int64, list: string): string {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeBigInt64BE(BigInt(lastId));
  bytes.writeUInt32BE(checksum(bytes.readBigInt64BE(), list), 8);
  return bytes.toString('base64url');
}

/** The id after which the page begins, or undefined if this is not a cursor of that list. */
export function decodeCursor(cursor: string, list: string): bigint | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.readBigInt64BE();
  return bytes.readUInt32BE(8) === checksum(id, list) ? id : undefined;
}

/** Creates a cursor of 27 characters for a list by time: 8 bytes of id, 8 bytes of time and 4 bytes of CRC-32. */
export function encodeTimeCursor({ time, id }: TimePosition, list: string): string {
  const bytes = Buffer.allocUnsafe(20);
  bytes.writeBigInt64BE(BigInt(id));
  bytes.writeDoubleBE(time, 8);
  bytes.writeUInt32BE(checksum(bytes.readBigInt64BE(), `${time} ${list}`), 16);
  return bytes.toString('base64url');
}

/** The position after which the page begins, or undefined if this is not a cursor of that list. */
export function decodeTimeCursor(cursor: string, list: string): TimePosition | undefined {
  if (!TIME_CURSOR.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.readBigInt64BE();
  const time = bytes.readDoubleBE(8);
  const isValid =
    Number.isSafeInteger(time) && bytes.readUInt32BE(16) === checksum(id, `${time} ${list}`);
  return isValid ? { time, id } : undefined;
}

const checksum = (id: bigint, list: string): number => Bun.hash.crc32(`${id} ${list}`);
