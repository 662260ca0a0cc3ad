import { createHash } from 'node:crypto';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** One value of a stored row. */
export type Cell = Int64 | string | Uint8Array | null;
export type CellRow = readonly Cell[];

/** A snapshot of a complete catalogue. Each part contains the rows of one kind. */
export interface CatalogueSnapshot {
  /** The names of the parts, in the order in which they must be written. */
  readonly parts: readonly string[];

  count(part: string): MaybePromise<number>;

  /** All rows of a part, in batches. The order is the same in every database. */
  rows(part: string): Iterable<readonly CellRow[]> | AsyncIterable<readonly CellRow[]>;

  /** Releases the snapshot. Rolls back what is not committed. */
  close(): MaybePromise<void>;
}

/** A catalogue to copy. */
export interface CatalogueSource extends CatalogueSnapshot {
  /** Checks at the end of the copy that nothing has begun to use the database. @throws StorageError */
  requireUnused(): MaybePromise<void>;
}

/** A catalogue that is written in one transaction. Others see it only after `commit`. */
export interface CatalogueWriter extends CatalogueSnapshot {
  add(part: string, rows: readonly CellRow[]): MaybePromise<void>;

  commit(): MaybePromise<void>;
}

/** The number of rows of each part, and their checksum. */
type CatalogueDigest = ReadonlyMap<string, { readonly rows: number; readonly sha256: string }>;

/** The rows read back from the target differ from the rows written. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

/** The target contains a different catalogue. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty';
}

export interface CopyResult {
  /** False if the target already contained the same catalogue. */
  readonly isNew: boolean;
  readonly digest: CatalogueDigest;
}

/**
 * Copies a complete catalogue into an empty one, reads it back, and compares counts and checksums
 * before it commits. If it throws, nothing is copied. A target that already contains the same
 * catalogue is left unchanged, so a copy can be repeated. A target with different counts is rejected
 * before a row is read.
 * @param progress receives the number of rows copied and compared so far.
 * @throws TargetNotEmpty, CopyDiffers, StorageError if something else uses the source by the end
 */
export async function copyCatalogue(
  from: CatalogueSource,
  to: CatalogueWriter,
  progress: (rows: number) => void,
): Promise<CopyResult> {
  let rows = 0;
  const countBatch = (batch: readonly CellRow[]) => {
    rows += batch.length;
    progress(rows);
  };
  if (!(await isEmpty(to))) {
    // Counting is fast. Reading a large catalogue only to reject it would take minutes.
    if (!(await haveEqualCounts(from, to)))
      throw new TargetNotEmpty('The target contains different rows.');
    const digest = await digestOf(from, countBatch);
    if (!isSame(digest, await digestOf(to, countBatch)))
      throw new TargetNotEmpty('The target contains a different catalogue.');
    await from.requireUnused();
    return { isNew: false, digest };
  }
  const digest = await digestOf(from, async (batch, part) => {
    await to.add(part, batch);
    countBatch(batch);
  });
  if (!isSame(digest, await digestOf(to, countBatch))) {
    throw new CopyDiffers('The rows read back differ from the rows written.');
  }
  await from.requireUnused();
  await to.commit();
  return { isNew: true, digest };
}

/** The number of rows of all parts. */
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

/** Reads all parts, and passes each batch to `each`. */
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

const isSame = (a: CatalogueDigest, b: CatalogueDigest): boolean =>
  JSON.stringify([...a]) === JSON.stringify([...b]);
