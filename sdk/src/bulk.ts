/** Creations of more items than one request can have. */
import { renderJson } from './int64.ts';

/**
 * The bounds of the service. The parts of a load are the same whenever it runs, because their keys say where they begin. With
 * other bounds, a resumed load could create an item twice.
 */
const MAX_ITEMS = 1_000;
const MAX_BYTES = 1_048_576;
/** `{"pets":[` and `]}`, with one comma less than items. */
const FRAME_BYTES = 10;

/** What a load has created so far. */
export interface BulkProgress<T> {
  /** The items of the part, in the order of the source. */
  readonly created: readonly T[];
  /** How many items of the source are stored: the option `from` continues there. */
  readonly count: number;
  /** Whether an earlier run created this part. */
  readonly replayed: boolean;
}

/** A part of a source. */
interface Part<T> {
  /** How many items of the source precede it. */
  readonly offset: number;
  readonly items: T[];
}

/** Splits a source into the largest parts that a request can have. */
export async function* partsOf<T>(
  source: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<Part<T>, void, undefined> {
  const encoder = new TextEncoder();
  let offset = 0;
  let items: T[] = [];
  let bytes = FRAME_BYTES;
  for await (const item of source) {
    const itemBytes = encoder.encode(renderJson(item)).length + 1;
    if (items.length === MAX_ITEMS || (items.length > 0 && bytes + itemBytes > MAX_BYTES)) {
      yield { offset, items };
      offset += items.length;
      items = [];
      bytes = FRAME_BYTES;
    }
    items.push(item);
    bytes += itemBytes;
  }
  if (items.length > 0) yield { offset, items };
}
