import { z } from '@hono/zod-openapi';
import { type Filters, filtersQuery, filtersText } from '../filters.ts';
import type { Int64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { type Refusal, refuse } from './errors.ts';
import { BETA } from './operation.ts';
import { queryInteger } from './query.ts';

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

export const PAGE_PARAMETERS = {
  limit: queryInteger({ minimum: 1, maximum: 100, default: 20 }).openapi({
    param: { description: 'Maximum number returned.' },
  }),
  cursor: z
    .string()
    .optional()
    .openapi({
      param: {
        ...BETA,
        description: 'Where the page begins: taken from a Link header, with the same filters.',
      },
    }),
};

export const PAGE_HEADERS = {
  Link: 'The next page, as `<URL>; rel="next"`. Absent on the last page.',
};

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The base address, and the list's path below it. */
  readonly baseUrl: string;
  readonly path: string;
  readonly filters: Filters;
  /** Whether to tell of the next page. */
  readonly links: boolean;
}

/**
 * Answers with one page of a list that is ascending by id.
 * @param read returns the first `count` items whose id is greater than `afterId`, or simply the first.
 */
export function page<Item extends { readonly id: Int64 }>(
  { limit, cursor, baseUrl, path, filters, links }: PageRequest,
  read: (afterId: Int64 | undefined, count: number) => MaybePromise<Item[]>,
): MaybePromise<
  { status: 200; body: Item[]; headers?: Record<string, string> } | Refusal<'invalid_cursor'>
> {
  const list = path + filtersText(filters);
  const afterId = cursor === undefined ? undefined : decodeCursor(cursor, list);
  if (cursor !== undefined && afterId === undefined) return refuse('invalid_cursor');
  // One more than asked for tells whether another page follows.
  return chain(read(afterId, limit + 1), (found) => {
    const items = found.length > limit ? found.slice(0, limit) : found;
    const last = items.at(-1);
    if (!links || last === undefined || items === found) return { status: 200, body: items };
    const next = `limit=${limit}&${filtersQuery(filters)}cursor=${encodeCursor(last.id, list)}`;
    return {
      status: 200,
      body: items,
      headers: { Link: `<${baseUrl}${path}?${next}>; rel="next"` },
    };
  });
}
