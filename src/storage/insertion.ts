import { foldText } from '../fold-text.ts';
import { type Cell, columnsOf } from './rows.ts';
import type { AnyTable } from './tables.ts';

/** What stores some fields: their columns, and the column with the folded texts. */
export function storedColumnsOf(table: AnyTable, fields: readonly string[]) {
  const columns = columnsOf(table, fields);
  const { search } = table;
  if (search?.column === undefined) return { columns, complete: (cells: readonly Cell[]) => cells };
  const texts = search.fields.map((field) => fields.indexOf(field));
  if (texts.includes(-1))
    throw new Error(`A change of ${table.name} must have all searched fields.`);
  return {
    columns: [...columns, search.column],
    /** Adds the folded texts to the values of the fields. */
    complete: (cells: readonly Cell[]): readonly Cell[] =>
      cells.concat(foldTexts(texts.map((index) => cells[index]))),
  };
}

/** The folded texts of a resource. The character between them is in no text, and in no search. */
export const foldTexts = (texts: readonly (Cell | undefined)[]): string =>
  texts.flatMap((text) => (text == null ? [] : foldText(String(text)))).join('\u0001');
