import type { Int64 } from '../int64.ts';

/**
 * A cursor names the last id of the page before and the list that it belongs to. Clients take
 * it as it is; its checksum, over id and filters, refuses one that was altered, cut short or
 * carried to another list. It guards against mistakes, not against forgery: whoever makes up a
 * cursor only reads what the key may read anyway.
 */
const CURSOR = /^[A-Za-z0-9_-]{16}$/;

/** Sixteen characters: 8 bytes of id and 4 of CRC-32, in base64url. `list` names the list with its filters. */
export function encodeCursor(lastId: Int64, list: string): string {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeBigInt64BE(BigInt(lastId));
  bytes.writeUInt32BE(checksum(bytes.readBigInt64BE(), list), 8);
  return bytes.toString('base64url');
}

/** The id after which the page begins, or undefined when this is no cursor of that list. */
export function decodeCursor(cursor: string, list: string): bigint | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.readBigInt64BE();
  return bytes.readUInt32BE(8) === checksum(id, list) ? id : undefined;
}

const checksum = (id: bigint, list: string): number => Bun.hash.crc32(`${id} ${list}`);

/** The target of `rel="next"`: absolute, from the configured base address (never from Host). */
export function nextLink(baseUrl: string, path: string, parameters: URLSearchParams): string {
  return `<${baseUrl}${path}?${parameters}>; rel="next"`;
}
