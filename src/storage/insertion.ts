import { foldText } from '../fold-text.ts';
import { type Cell, columnOf, columnsOf } from './rows.ts';
import type { AnyTable } from './tables.ts';

/** What stores some fields: their columns, and the derived columns with folded texts. */
export function storedColumnsOf(table: AnyTable, fields: readonly string[]) {
  const folded = fields.flatMap((field, index) => {
    const { foldedColumn } = columnOf(table, field);
    return foldedColumn === undefined ? [] : [{ column: foldedColumn, index }];
  });
  return {
    columns: [...columnsOf(table, fields), ...folded.map(({ column }) => column)],
    /** Adds the folded texts to the values of the fields. */
    complete: (cells: readonly Cell[]): Cell[] =>
      cells.concat(folded.map(({ index }) => foldText(String(cells[index])))),
  };
}
