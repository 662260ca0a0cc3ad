import { foldText } from '../fold-text.ts';
import { type Cell, columnOf } from './rows.ts';
import type { AnyTable, ColumnType } from './tables.ts';

/** What stores some fields of a table. An engine prepares each insertion once. */
export interface Insertion {
  readonly table: AnyTable;
  readonly fields: readonly string[];
  /** The columns of the fields, and the column with the folded texts. */
  readonly columns: readonly string[];
  readonly types: readonly ColumnType[];
  /** Adds the folded texts to the values of the fields. */
  readonly complete: (cells: readonly Cell[]) => readonly Cell[];
}

export function insertionOf(table: AnyTable, fields: readonly string[]): Insertion {
  const described = fields.map((field) => columnOf(table, field));
  const columns = described.map(({ column }) => column);
  const types = described.map(({ type }) => type);
  const { search } = table;
  if (search?.column === undefined)
    return { table, fields, columns, types, complete: (cells) => cells };
  const texts = search.fields.map((field) => fields.indexOf(field));
  if (texts.includes(-1))
    throw new Error(`A change of ${table.name} must have all searched fields.`);
  return {
    table,
    fields,
    columns: [...columns, search.column],
    types: [...types, 'text'],
    complete: (cells) => cells.concat(foldTexts(texts.map((index) => cells[index]))),
  };
}

/** The folded texts of a resource. The character between them is in no text, and in no search. */
export const foldTexts = (texts: readonly (Cell | undefined)[]): string =>
  texts.flatMap((text) => (text == null ? [] : foldText(String(text)))).join('\u0001');
