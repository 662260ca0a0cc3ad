import type { JsonObject } from '../http/request/body.ts';
import { type ExactJson, InvalidJson, parseExactJson } from '../http/request/exact-json.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { Rows, SourceRow } from './read-rows.ts';

/**
 * How a CSV cell is converted. An empty cell is an empty `text`, but a missing `word` or `number`: a field that must not be
 * empty is then refused with its own message.
 */
export type CellKind = 'text' | 'word' | 'number';

/** The fields that an import reads. */
export type ImportFields = Readonly<Record<string, CellKind>>;

/** The target of an import. */
export interface ImportTarget {
  /** Stages the valid rows. Returns the errors of the others by index. The caller awaits each call before the next. */
  add(rows: readonly JsonObject[]): MaybePromise<ReadonlyMap<number, string>>;

  /** Adds all staged rows in one transaction. Resolves with their number when they are durable. */
  commit(): Promise<number>;

  /** Discards the staged rows. Does nothing after `commit`. */
  abandon(): MaybePromise<void>;
}

export interface ImportOptions {
  readonly fields: ImportFields;
  /** The column of each field whose column has a different name. */
  readonly columns: ReadonlyMap<string, string>;
  /** On a bad row, `stop` fails the import, which then adds no row. `skip` omits the row. */
  readonly onError: 'stop' | 'skip';
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
 * @param report receives each skipped row.
 * @param progress receives the number of rows read so far, after each batch.
 * @throws BadRow on the first bad row, unless bad rows are skipped.
 */
export async function importRows(
  { format, batches }: Rows,
  target: ImportTarget,
  { fields, columns, onError }: ImportOptions,
  report: (row: BadRow) => void,
  progress: (rows: number) => void,
): Promise<ImportCounts> {
  const sources = sourcesOf(fields, columns);
  let rows = 0;
  let skipped = 0;
  try {
    for await (const batch of batches) {
      for (const bad of await addRows(batch, format === 'csv', target, sources)) {
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
async function addRows(
  batch: readonly SourceRow[],
  isText: boolean,
  target: ImportTarget,
  sources: readonly FieldSource[],
): Promise<BadRow[]> {
  const readable = batch.filter((row) => 'fields' in row);
  const values = readable.map(({ fields }) => valuesOf(fields, isText, sources));
  const errors = await target.add(values);
  const bad = batch.flatMap((row) => ('problem' in row ? [new BadRow(row.line, row.problem)] : []));
  readable.forEach(({ line, fields }, index) => {
    const problem = errors.get(index);
    if (problem === undefined) return;
    const hint = problem.includes('is required')
      ? ` (the row has ${Object.keys(fields).join(', ')})`
      : '';
    bad.push(new BadRow(line, problem + hint));
  });
  return bad.sort((a, b) => a.line - b.line);
}

/** A field that the target reads, and the column of the file that contains it. */
interface FieldSource {
  readonly field: string;
  readonly kind: CellKind;
  readonly column: string;
}

const sourcesOf = (fields: ImportFields, columns: ImportOptions['columns']): FieldSource[] =>
  Object.entries(fields).map(([field, kind]) => ({
    field,
    kind,
    column: columns.get(field) ?? field,
  }));

/** The values of the fields that the target reads. */
function valuesOf(row: JsonObject, isText: boolean, sources: readonly FieldSource[]): JsonObject {
  const values: JsonObject = {};
  for (const { field, kind, column } of sources) {
    const value = Object.hasOwn(row, column) ? row[column] : undefined;
    const converted = isText && typeof value === 'string' ? parseCell(value, kind) : value;
    if (converted !== undefined) values[field] = converted;
  }
  return values;
}

/**
 * Adds the valid items. An invalid item is represented by its error text.
 * @param add returns errors by the index among the valid items.
 * @returns all errors, by the index among all items.
 */
export function addValid<Item extends object>(
  items: readonly (Item | string)[],
  add: (valid: readonly Item[]) => MaybePromise<ReadonlyMap<number, string>>,
): MaybePromise<ReadonlyMap<number, string>> {
  const errors = new Map<number, string>();
  const valid: Item[] = [];
  const indexes: number[] = [];
  items.forEach((item, index) => {
    if (typeof item === 'string') {
      errors.set(index, item);
    } else {
      valid.push(item);
      indexes.push(index);
    }
  });
  return chain(add(valid), (rejected) => {
    for (const [index, error] of rejected) errors.set(indexes[index] as number, error);
    return errors;
  });
}

/** Converts a CSV cell. Numbers follow the grammar of JSON; any other text stays text, which validation rejects. */
function parseCell(text: string, kind: CellKind): ExactJson | undefined {
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
