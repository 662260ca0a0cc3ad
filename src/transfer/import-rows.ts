import type { JsonObject } from '../http/body.ts';
import { type ExactJson, InvalidJson, parseExactJson } from '../http/exact-json.ts';
import type { Rows, SourceRow } from './read-rows.ts';

/** Where rows go: all of them or, when it is abandoned, none. */
export interface ImportTarget {
  /**
   * The fields that it takes of a row. What they are decides how a cell of a format that knows
   * only text is read: a `text` as it is, a `word` or `number` as none where the cell is empty.
   */
  readonly fields: Readonly<Record<string, 'text' | 'word' | 'number'>>;

  /** Takes a row; returns why it cannot, if so. */
  add(values: JsonObject): string | undefined;

  /** Adds all rows in one transaction. Resolves with their number once they are durable. */
  commit(): Promise<number>;

  /** Forgets the rows. Does nothing after `commit`. */
  abandon(): void;
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
      for (const row of batch) {
        rows += 1;
        const problem = addRow(row, format === 'csv', target, columns);
        if (problem === undefined) continue;
        const bad = new BadRow(row.line, problem);
        if (onError === 'stop') throw bad;
        skipped += 1;
        report(bad);
      }
      progress(rows);
    }
    return { imported: await target.commit(), skipped };
  } finally {
    target.abandon();
  }
}

/** Returns why the row cannot be taken, if so. */
function addRow(
  row: SourceRow,
  isText: boolean,
  target: ImportTarget,
  columns: ImportOptions['columns'],
): string | undefined {
  if ('problem' in row) return row.problem;
  const values: JsonObject = {};
  for (const [field, kind] of Object.entries(target.fields)) {
    const column = columns.get(field) ?? field;
    const value = Object.hasOwn(row.fields, column) ? row.fields[column] : undefined;
    const meant = isText && typeof value === 'string' ? fromText(value, kind) : value;
    if (meant !== undefined) values[field] = meant;
  }
  const problem = target.add(values);
  return problem?.includes('is required')
    ? `${problem} (the row has ${Object.keys(row.fields).join(', ')})`
    : problem;
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
