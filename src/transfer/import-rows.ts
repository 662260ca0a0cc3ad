import type { JsonObject } from '../http/request/exact-json.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { FileRow } from './files/fields.ts';

export interface ImportTarget {
  /** Stages the rows that can be imported. Returns the errors of the others by index. The caller awaits each call before the next. */
  add(rows: readonly JsonObject[]): MaybePromise<ReadonlyMap<number, string>>;

  /** Adds all staged rows in one transaction. Resolves with their number when they are durable. */
  commit(): Promise<number>;

  /** Discards the staged rows. Does nothing after `commit`. */
  abandon(): MaybePromise<void>;
}

/** A row that cannot be imported. */
export class BadRow extends Error {
  override readonly name = 'BadRow';

  constructor(
    readonly line: number,
    readonly reason: string,
  ) {
    super(`line ${line}: ${reason}`);
  }
}

export interface ImportCounts {
  readonly imported: number;
  readonly skipped: number;
}

/**
 * Imports the rows in one transaction. If it throws, no row is added.
 * @param onError On a bad row, `stop` fails the import, which then adds no row. `skip` omits the row.
 * @param report receives each skipped row.
 * @param progress receives the number of rows read so far, after each batch.
 * @throws BadRow on the first bad row, unless bad rows are skipped.
 */
export async function importRows(
  batches: AsyncIterable<readonly FileRow[]>,
  target: ImportTarget,
  onError: 'stop' | 'skip',
  report: (row: BadRow) => void,
  progress: (rows: number) => void,
): Promise<ImportCounts> {
  let rows = 0;
  let skipped = 0;
  try {
    for await (const batch of batches) {
      for (const bad of await addRows(batch, target)) {
        if (onError === 'stop') throw bad;
        skipped += 1;
        report(bad);
      }
      rows += batch.length;
      progress(rows);
    }
    return { imported: await target.commit(), skipped };
  } finally {
    await target.abandon();
  }
}

/** Stages a batch. Returns its bad rows, ascending by line. */
async function addRows(batch: readonly FileRow[], target: ImportTarget): Promise<BadRow[]> {
  const valid = batch.filter((row) => 'values' in row);
  const errors = await target.add(valid.map(({ values }) => values));
  const bad = batch.flatMap((row) => ('problem' in row ? [new BadRow(row.line, row.problem)] : []));
  for (const [index, problem] of errors) {
    const row = valid[index];
    if (row !== undefined) bad.push(new BadRow(row.line, problem));
  }
  return bad.sort((a, b) => a.line - b.line);
}
