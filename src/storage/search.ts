import type { Inventory } from '../categories/inventory.ts';
import type { FairQueue } from '../fair-queue.ts';
import { foldText } from '../fold-text.ts';
import type { Asker, ListQuery, Position } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { STATUSES } from './category-counts.ts';

/** A search looks at so many rows at once: about two milliseconds on SQLite, and three on PostgreSQL. Their ids may be far apart. */
const SLICE_ROWS = 20_000;

/** The same for rows that an index finds: each is read from another page of the table. */
const SCATTERED_ROWS = 2_000;

/** The first slice is enough for a common term. */
const FIRST_ROWS = 1_000;

/** What a search reads at once. */
export interface SliceRequest<At = Int64> {
  /** The position before the slice. Undefined: the list begins with it. */
  readonly after: At | undefined;
  /** The most matches to return. */
  readonly wanted: number;
  readonly rows: number;
}

/** What a search found in consecutive rows of a list. */
export interface Slice<Item, At = Int64> {
  /** In the order of the list. */
  readonly items: readonly Item[];
  /** The position after which the next slice begins. Undefined: the list has no more rows, or enough was found. */
  readonly next: At | undefined;
}

export type ReadSlice<Item, At = Int64> = (
  request: SliceRequest<At>,
) => MaybePromise<Slice<Item, At>>;

/** How many rows of a list a search looks at in a slice. */
export const sliceRowsOf = ({ filters, by }: ListQuery): number =>
  by === undefined && Object.values(filters).every((value) => value === undefined)
    ? SLICE_ROWS
    : SCATTERED_ROWS;

/** Searches that nobody asked for over HTTP. */
const NOBODY: Asker = { keyId: 0, isGone: () => false };

/**
 * Returns the first `count` matches of a list. Each slice is read as of one moment, and other requests go on between two slices. A search
 * whose asker is gone ends with what it has: nobody receives that.
 * @param queue slices of all searches take turns in it.
 * @param sliceRows how many rows it looks at in a slice, after the first one.
 */
export function searchSlices<Item, At>(
  queue: FairQueue,
  readSlice: ReadSlice<Item, At>,
  after: At | undefined,
  count: number,
  { keyId, isGone }: Asker = NOBODY,
  sliceRows = SLICE_ROWS,
): MaybePromise<Item[]> {
  const found: Item[] = [];
  const searchFrom = (start: At | undefined, rows: number): MaybePromise<Item[]> => {
    const wanted = count - found.length;
    const read = () =>
      isGone() ? { items: [], next: undefined } : readSlice({ after: start, wanted, rows });
    return chain(queue.run(keyId, read), ({ items, next }) => {
      found.push(...items);
      return next === undefined || found.length >= count
        ? found.slice(0, count)
        : searchFrom(next, sliceRows);
    });
  };
  return searchFrom(after, FIRST_ROWS);
}

/** How many matches of each status a search found in consecutive rows of a list. */
export interface CountedSlice {
  readonly counts: Inventory;
  /** The id after which the next slice begins. Undefined: the list has no more rows. */
  readonly next: Int64 | undefined;
}

export type CountSlice = (request: Omit<SliceRequest, 'wanted'>) => MaybePromise<CountedSlice>;

/** Adds up what a search counts in all slices of a list. @param queue as in `searchSlices`. */
export function countSlices(
  queue: FairQueue,
  countSlice: CountSlice,
  { keyId, isGone }: Asker = NOBODY,
  sliceRows = SLICE_ROWS,
): MaybePromise<Inventory> {
  const sum = { available: 0, pending: 0, sold: 0, unset: 0 };
  const countFrom = (after: Int64 | undefined): MaybePromise<Inventory> => {
    const count = () => (isGone() ? undefined : countSlice({ after, rows: sliceRows }));
    return chain(queue.run(keyId, count), (slice) => {
      if (slice === undefined) return sum;
      for (const status of STATUSES) sum[status] += Number(slice.counts[status]);
      return slice.next === undefined ? sum : countFrom(slice.next);
    });
  };
  return countFrom(undefined);
}

/** A slice of a list whose names are folded here: few enough, or without a folded column. */
export const foldedSlice =
  <Item extends { readonly id: Int64; readonly name?: string }>(
    term: string,
    read: (after: Position | undefined, size: number) => MaybePromise<Item[]>,
  ): ReadSlice<Item, Position> =>
  ({ after, rows }) => {
    const size = Math.min(rows, MAX_FOLDED_ROWS);
    return chain(read(after, size), (items) => ({
      items: items.filter(({ name = '' }) => foldText(name).includes(term)),
      next: items.length < size ? undefined : items.at(-1)?.id,
    }));
  };

/** Folding takes longer than comparing. */
const MAX_FOLDED_ROWS = 4_000;
