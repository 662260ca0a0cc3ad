import { monotonicMs } from '../clock.ts';
import { foldText } from '../fold-text.ts';
import type { Int64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { StorageError } from './database.ts';

/** Consecutive items of a list. */
interface Slice<Item> {
  readonly items: readonly Item[];
  /** The id after which the next slice begins. Undefined: the list has no more items. */
  readonly next: Int64 | undefined;
}

/** Reads the slice of about `size` items that follow the id `afterId` (undefined: from the beginning). */
export type ReadSlice<Item> = (
  afterId: Int64 | undefined,
  size: number,
) => MaybePromise<Slice<Item>>;

/** A resource of a list that can be searched. */
interface Named {
  readonly name?: string;
}

/** Reading one takes one to two milliseconds on SQLite, during which other requests wait. */
const MAX_SLICE = 4_000;

/** A search that takes longer fails. Otherwise it would go on for a client that is gone. */
const TIMEOUT_MS = 20_000;

interface SearchOptions {
  /** Resolves when the next slice may be read. Default: at once. */
  readonly nextTurn?: () => Promise<void>;
  /** The time of the monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Returns the first `count` items whose name contains a text, by `foldText`. Looks at each item of the slices, so these may
 * contain more than the matches.
 * @throws StorageError
 */
export function searchByName<Item extends Named>(
  text: string,
  readSlice: ReadSlice<Item>,
  afterId: Int64 | undefined,
  count: number,
  { nextTurn = () => Promise.resolve(), now = monotonicMs }: SearchOptions = {},
): MaybePromise<Item[]> {
  const term = foldText(text);
  const endMs = now() + TIMEOUT_MS;
  const found: Item[] = [];
  const searchFrom = (start: Int64 | undefined, size: number): MaybePromise<Item[]> =>
    chain(readSlice(start, size), ({ items, next }) => {
      for (const item of items) {
        if (foldText(item.name ?? '').includes(term)) found.push(item);
      }
      if (found.length >= count || next === undefined) return found.slice(0, count);
      if (now() > endMs) throw new StorageError('unavailable', 'A search took too long.');
      return nextTurn().then(() => searchFrom(next, Math.min(size * 4, MAX_SLICE)));
    });
  // Most searches need no other slice: what an index finds mostly matches.
  return searchFrom(afterId, 2 * count);
}

/** The slices of a list. @param read returns the first `size` items that follow an id. */
export const slicesOf =
  <Item extends { readonly id: Int64 }>(
    read: (afterId: Int64 | undefined, size: number) => MaybePromise<Item[]>,
  ): ReadSlice<Item> =>
  (afterId, size) =>
    chain(read(afterId, size), (items) => ({
      items,
      next: items.length < size ? undefined : items.at(-1)?.id,
    }));
