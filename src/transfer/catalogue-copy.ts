import { createHash } from 'node:crypto';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** One value of a stored row. */
export type Cell = Int64 | string | Uint8Array | null;
export type CellRow = readonly Cell[];

/** Everything that a catalogue holds, as it was at one moment: rows of like kind are a part. */
export interface CatalogueSnapshot {
  /** The names of the parts, in the order in which they have to be written. */
  readonly parts: readonly string[];

  count(part: string): MaybePromise<number>;

  /** All rows of a part, in an order that is the same everywhere, in batches. */
  rows(part: string): AsyncIterable<readonly CellRow[]>;

  /** Ends the reading. Nothing that was not committed is kept. */
  close(): MaybePromise<void>;
}

/** A catalogue that is being written as a whole: until it is committed nobody else sees any of it. */
export interface CatalogueReplica extends CatalogueSnapshot {
  add(part: string, rows: readonly CellRow[]): MaybePromise<void>;

  commit(): MaybePromise<void>;
}

/** How many rows each part has, and their checksum. */
type CatalogueDigest = ReadonlyMap<string, { readonly rows: number; readonly sha256: string }>;

/** What was written is not what was read. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

/** The target holds something else already. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty';
}

export interface CopyResult {
  /** False when the target held the very same already. */
  readonly isNew: boolean;
  readonly digest: CatalogueDigest;
}

/**
 * Copies a whole catalogue into an empty one, reads it back, and compares counts and checksums
 * before anything is committed: all of it or, when it throws, none. A target that holds the very
 * same already is left as it is, so a copy can be run again. A target with other counts is refused
 * before a row is read.
 * @param progress is called with the number of rows copied and compared so far.
 * @throws TargetNotEmpty, CopyDiffers
 */
export async function copyCatalogue(
  from: CatalogueSnapshot,
  to: CatalogueReplica,
  progress: (rows: number) => void,
): Promise<CopyResult> {
  let rows = 0;
  const counting = (batch: readonly CellRow[]) => {
    rows += batch.length;
    progress(rows);
  };
  if (!(await isEmpty(to))) {
    // Counting is fast: reading all of a large catalogue only to refuse would take minutes.
    if (!(await haveEqualCounts(from, to))) throw new TargetNotEmpty('It holds other rows.');
    const digest = await digestOf(from, counting);
    if (same(digest, await digestOf(to, counting))) return { isNew: false, digest };
    throw new TargetNotEmpty('It holds a catalogue already.');
  }
  const digest = await digestOf(from, async (batch, part) => {
    await to.add(part, batch);
    counting(batch);
  });
  if (!same(digest, await digestOf(to, counting))) {
    throw new CopyDiffers('What was written is not what was read.');
  }
  await to.commit();
  return { isNew: true, digest };
}

/** The number of all rows. */
export async function countRows(snapshot: CatalogueSnapshot): Promise<number> {
  let rows = 0;
  for (const part of snapshot.parts) rows += await snapshot.count(part);
  return rows;
}

const isEmpty = async (snapshot: CatalogueSnapshot): Promise<boolean> =>
  (await countRows(snapshot)) === 0;

async function haveEqualCounts(a: CatalogueSnapshot, b: CatalogueSnapshot): Promise<boolean> {
  for (const part of a.parts) {
    if ((await a.count(part)) !== (await b.count(part))) return false;
  }
  return true;
}

/** Reads all parts through. */
async function digestOf(
  snapshot: CatalogueSnapshot,
  each: (batch: readonly CellRow[], part: string) => MaybePromise<void>,
): Promise<CatalogueDigest> {
  const digest = new Map<string, { rows: number; sha256: string }>();
  for (const part of snapshot.parts) {
    const hash = createHash('sha256');
    let rows = 0;
    for await (const batch of snapshot.rows(part)) {
      rows += batch.length;
      hash.update(batch.map(toLine).join(''));
      await each(batch, part);
    }
    digest.set(part, { rows, sha256: hash.digest('hex') });
  }
  return digest;
}

const toLine = (row: CellRow): string => `${JSON.stringify(row.map(toText))}\n`;

const toText = (cell: Cell): string | null =>
  cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell === null ? null : `${cell}`;

const same = (a: CatalogueDigest, b: CatalogueDigest): boolean =>
  JSON.stringify([...a]) === JSON.stringify([...b]);
