import type { JsonObject } from '../http/request/body.ts';
import { type ExactJson, InvalidJson, parseExactJson } from '../http/request/exact-json.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { Rows, SourceRow } from './read-rows.ts';

/** Where rows go: all of them or, when it is abandoned, none. */
export interface ImportTarget {
  /**
   * The fields that it takes of a row. What they are decides how a cell of a format that knows
   * only text is read: a `text` as it is, a `word` or `number` as none where the cell is empty.
   */
  readonly fields: Readonly<Record<string, 'text' | 'word' | 'number'>>;

  /** Takes rows, but those that it cannot: returns why, by their place. It is awaited before the next. */
  add(rows: readonly JsonObject[]): MaybePromise<ReadonlyMap<number, string>>;

  /** Adds all rows in one transaction. Resolves with their number once they are durable. */
  commit(): Promise<number>;

  /** Forgets the rows. Does nothing after `commit`. */
  abandon(): MaybePromise<void>;
}

export interface ImportOptions {
  /** The file's name for a field, where it is another. */
  readonly columns: ReadonlyMap<string, string>;
  /** What a bad row does: `stop` ends the import and leaves nothing behind, `skip` leaves out the row. */
  readonly onError: 'stop' | 'skip';
}

/** A row that cannot be imported, and why. */
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
 * Imports all rows or, when it throws, none.
 * @param progress is called with the number of rows read so far, after each batch.
 * @param report is called with each row that is left out.
 * @throws BadRow on the first bad row, unless they are to be skipped.
 */
export async function importRows(
  { format, batches }: Rows,
  target: ImportTarget,
  { columns, onError }: ImportOptions,
  report: (row: BadRow) => void,
  progress: (rows: number) => void,
): Promise<ImportCounts> {
  let rows = 0;
  let skipped = 0;
  try {
    for await (const batch of batches) {
      for (const bad of await addRows(batch, format === 'csv', target, columns)) {
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

/** Returns the rows that cannot be taken, in their order. */
async function addRows(
  batch: readonly SourceRow[],
  isText: boolean,
  target: ImportTarget,
  columns: ImportOptions['columns'],
): Promise<BadRow[]> {
  const readable = batch.filter((row) => 'fields' in row);
  const values = readable.map(({ fields }) => valuesOf(fields, isText, target.fields, columns));
  const refused = await target.add(values);
  const bad = batch.flatMap((row) => ('problem' in row ? [new BadRow(row.line, row.problem)] : []));
  readable.forEach(({ line, fields }, place) => {
    const problem = refused.get(place);
    if (problem === undefined) return;
    const hint = problem.includes('is required')
      ? ` (the row has ${Object.keys(fields).join(', ')})`
      : '';
    bad.push(new BadRow(line, problem + hint));
  });
  return bad.sort((a, b) => a.line - b.line);
}

/** What a row says of each field that the target takes. */
function valuesOf(
  row: JsonObject,
  isText: boolean,
  fields: ImportTarget['fields'],
  columns: ImportOptions['columns'],
): JsonObject {
  const values: JsonObject = {};
  for (const [field, kind] of Object.entries(fields)) {
    const column = columns.get(field) ?? field;
    const value = Object.hasOwn(row, column) ? row[column] : undefined;
    const meant = isText && typeof value === 'string' ? fromText(value, kind) : value;
    if (meant !== undefined) values[field] = meant;
  }
  return values;
}

/**
 * Hands on the items that are valid, the others being texts that say why not.
 * @param take returns why it cannot take some, by their place among the valid ones.
 * @returns why some were not taken, by their place among all.
 */
export function takeValid<Item extends object>(
  items: readonly (Item | string)[],
  take: (valid: readonly Item[]) => MaybePromise<ReadonlyMap<number, string>>,
): MaybePromise<ReadonlyMap<number, string>> {
  const problems = new Map<number, string>();
  const valid: Item[] = [];
  const places: number[] = [];
  items.forEach((item, place) => {
    if (typeof item === 'string') {
      problems.set(place, item);
    } else {
      valid.push(item);
      places.push(place);
    }
  });
  return chain(take(valid), (refused) => {
    for (const [index, problem] of refused) problems.set(places[index] as number, problem);
    return problems;
  });
}

/** A cell of text as the value that it stands for: numbers by the rules of JSON. */
function fromText(text: string, kind: ImportTarget['fields'][string]): ExactJson | undefined {
  if (kind === 'text') return text;
  if (text === '') return undefined;
  if (kind === 'word') return text;
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof InvalidJson) return text;
    throw error;
  }
}
