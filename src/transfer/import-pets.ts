import type { JsonObject } from '../http/body.ts';
import { type ExactJson, InvalidJson, parseExactJson } from '../http/exact-json.ts';
import { describeIssues } from '../http/validation.ts';
import { type Int64, isInt64 } from '../int64.ts';
import { NewPet } from '../pets/pet.ts';
import { IdTaken, type PetImport } from './catalogue-transfer.ts';
import type { Rows, SourceRow } from './read-rows.ts';

/** What a row can tell of an animal. */
export const IMPORT_FIELDS = ['name', 'categoryId', 'status', 'id'] as const;
export type ImportField = (typeof IMPORT_FIELDS)[number];

export interface ImportOptions {
  /** The file's name for a field, where it is another. */
  readonly columns: ReadonlyMap<ImportField, string>;
  /** The category of a row that names none. */
  readonly categoryId: Int64 | undefined;
  /** Keep the file's ids instead of assigning new ones. */
  readonly keepIds: boolean;
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
export async function importPets(
  { format, batches }: Rows,
  target: PetImport,
  options: ImportOptions,
  report: (row: BadRow) => void,
  progress: (rows: number) => void,
): Promise<ImportCounts> {
  let rows = 0;
  let skipped = 0;
  try {
    for await (const batch of batches) {
      for (const row of batch) {
        rows += 1;
        const problem = addRow(row, format === 'csv', target, options);
        if (problem === undefined) continue;
        const bad = new BadRow(row.line, problem);
        if (options.onError === 'stop') throw bad;
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
  target: PetImport,
  options: ImportOptions,
): string | undefined {
  if ('problem' in row) return row.problem;
  const { id, ...fields } = pick(row.fields, isText, options);
  const pet = NewPet.safeParse(fields);
  if (!pet.success) {
    const problems = describeIssues(pet.error).join('; ');
    const isShort = fields.name === undefined || fields.categoryId === undefined;
    return isShort ? `${problems} (the row has ${Object.keys(row.fields).join(', ')})` : problems;
  }
  if (options.keepIds && !isInt64(id)) return 'id: must be an integer to be kept';
  try {
    target.add(pet.data, options.keepIds ? (id as Int64) : undefined);
    return undefined;
  } catch (error) {
    if (error instanceof IdTaken) return error.message;
    throw error;
  }
}

/**
 * Takes from a row what tells of an animal. A format that knows only text (`isText`) has its
 * numbers read from it, and an empty cell is no value.
 */
function pick(row: JsonObject, isText: boolean, { columns, categoryId }: ImportOptions) {
  const picked: { [Field in ImportField]?: ExactJson } = {};
  for (const field of IMPORT_FIELDS) {
    const column = columns.get(field) ?? field;
    const value = Object.hasOwn(row, column) ? row[column] : undefined;
    const meant = isText && typeof value === 'string' ? fromText(field, value) : value;
    if (meant !== undefined) picked[field] = meant;
  }
  if (categoryId !== undefined) picked.categoryId ??= categoryId;
  return picked;
}

/** A cell of text as the value that it stands for: numbers by the rules of JSON, an empty cell for none. */
function fromText(field: ImportField, text: string): ExactJson | undefined {
  if (field === 'name') return text;
  if (text === '') return undefined;
  if (field === 'status') return text;
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof InvalidJson) return text;
    throw error;
  }
}
