import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { BETA } from './additions.ts';
import { decodeCursor, decodeTimeCursor, encodeCursor, encodeTimeCursor } from './cursor.ts';
import { type ErrorCode, Refusal, refuse } from './errors.ts';
import { enumField, queryInteger } from './fields.ts';
import {
  DEFAULT_SORT,
  type Filters,
  type ListQuery,
  type Position,
  queryParameters,
  queryText,
  SORTS,
  type TimeField,
} from './list-query.ts';
import { z } from './zod.ts';

const MAX_LIMIT = 100;

/** The positions of items in a list, and their cursors. */
export interface Positions<Item, At, Code extends ErrorCode = never> {
  /** @param list the path of the list with the text of its query. */
  readonly encode: (last: Item, list: string) => string;
  /** Undefined if this is not a cursor of that list. */
  readonly decode: (cursor: string, list: string) => At | Refusal<Code> | undefined;
}

interface Identified {
  readonly id: Int64;
}

interface Timed extends Identified, Partial<Readonly<Record<TimeField, string | undefined>>> {}

const BY_ID: Positions<Identified, Int64> = {
  encode: ({ id }, list) => encodeCursor(id, list),
  decode: decodeCursor,
};

const byTime = (field: TimeField): Positions<Timed, Position> => ({
  // A list by a time has only items with this time.
  encode: ({ id, [field]: time = '' }, list) =>
    encodeTimeCursor({ id, time: Date.parse(time) }, list),
  decode: decodeTimeCursor,
});

const positionsIn = ({ by }: Pick<ListQuery, 'by'>): Positions<Timed, Position> =>
  by === undefined ? BY_ID : byTime(by);

const limit = queryInteger({ minimum: 1, maximum: MAX_LIMIT, default: 20 }).openapi({
  param: { description: 'Maximum number returned.', example: 20 },
});

/**
 * The parameters of a list that is read page by page.
 * @param path the path of the list, relative to the base URL.
 * @param filters the examples of its filters, in the order of their declaration: a cursor belongs to
 *   one list and its query, so the example of the cursor is valid with these.
 * @param by the time by which the list is ordered with these filters.
 */
export const pageParameters = (path: string, filters: Filters = {}, by?: TimeField) => ({
  limit,
  cursor: z
    .string()
    .optional()
    .openapi({
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]+$',
      param: {
        ...BETA,
        description:
          'The position of the page, from the Link header of the previous page. The filters and the order must be the same.',
        example: positionsIn({ by }).encode(
          { id: 1, createdAt: '2027-01-01T12:00:00.000Z' },
          path + queryText({ filters, sort: DEFAULT_SORT }),
        ),
      },
    }),
});

/** The parameters of a list that is read page by page, in an order of the client's choice. */
export const sortedPageParameters = (path: string, filters?: Filters) => ({
  ...pageParameters(path, filters),
  sort: sortParameter(SORTS, 'The order: `id` is ascending by id, `-id` descending.'),
});

/** The parameter that names the order of a list. */
export const sortParameter = <const Sorts extends readonly [string, ...string[]]>(
  sorts: Sorts,
  description: string,
) =>
  enumField(sorts)
    .optional()
    .openapi({
      default: DEFAULT_SORT,
      param: { ...BETA, description, example: DEFAULT_SORT },
    });

export const pageOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(MAX_LIMIT);

export const PAGE_HEADERS = {
  Link: 'The URL of the next page, as `<URL>; rel="next"`. Absent on the last page.',
};

/** The query of a list without filters and orders. */
const ALL: ListQuery = { filters: {}, sort: DEFAULT_SORT };

interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly baseUrl: string;
  /** The path of the list, relative to the base URL. */
  readonly path: string;
  /** Absent if the list has no filters and one order. */
  readonly query?: ListQuery;
  /** False: without a link to the next page. */
  readonly links?: boolean;
}

interface Page<Item> {
  readonly status: 200;
  readonly body: Item[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns one page of a list by id.
 * @param read returns the first `count` items after the id `afterId`, or of all if it is undefined.
 */
export const page = <Item extends Identified>(
  request: PageRequest,
  read: (afterId: Int64 | undefined, count: number) => MaybePromise<Item[]>,
) => pageAt<Item, Int64, never>(request, BY_ID, read);

/** The same for a list that may be by a time. */
export const pageInOrder = <Item extends Timed>(
  request: PageRequest & { readonly query: ListQuery },
  read: (after: Position | undefined, count: number) => MaybePromise<Item[]>,
) => pageAt<Item, Position, never>(request, positionsIn(request.query), read);

/** The same for a list with positions of its own. */
export function pageAt<Item, At, Code extends ErrorCode>(
  { limit, cursor, baseUrl, path, query = ALL, links = true }: PageRequest,
  { encode, decode }: Positions<Item, At, Code>,
  read: (after: At | undefined, count: number) => MaybePromise<Item[]>,
): MaybePromise<Page<Item> | Refusal<'invalid_cursor' | Code>> {
  const list = path + queryText(query);
  const after = cursor === undefined ? undefined : decode(cursor, list);
  if (after instanceof Refusal) return after;
  if (after === undefined && cursor !== undefined) return refuse('invalid_cursor');
  // One item more than the limit shows that another page follows.
  return chain(read(after, limit + 1), (found) => {
    const items = found.length > limit ? found.slice(0, limit) : found;
    const last = items.at(-1);
    if (!links || last === undefined || items === found) return { status: 200, body: items };
    const next = `limit=${limit}&${queryParameters(query)}cursor=${encode(last, list)}`;
    const headers = { Link: `<${baseUrl}${path}?${next}>; rel="next"` };
    return { status: 200, body: items, headers };
  });
}
