import type { Int64 } from '../int64.ts';
import { foldTexts } from './insertion.ts';
import type { Fault } from './maintenance.ts';
import { columnOf, type Row } from './rows.ts';
import { type AnyTable, ORDERS, PETS } from './tables.ts';

/** The tables with folded texts in a schema of a version. */
export const foldedTables = (version: number): AnyTable[] =>
  version < 102 ? [PETS] : [PETS, ORDERS];

/** A row whose folded texts are wrong: another program has written it. */
export interface WrongFold {
  readonly id: Int64;
  readonly texts: readonly (string | null)[];
  /** The right ones. */
  readonly folded: string;
}

/** The columns of the texts of a table, and of their fold. */
export function foldColumnsOf(table: AnyTable) {
  const { fields = [], column = '' } = table.search ?? {};
  return { texts: fields.map((field) => columnOf(table, field).column), folded: column };
}

/** Those of some rows of `foldColumnsOf` that are wrong. */
export function wrongFolds(table: AnyTable, rows: readonly Row[]): WrongFold[] {
  const columns = foldColumnsOf(table);
  return rows.flatMap((row) => {
    const texts = columns.texts.map((column) => row[column] as string | null);
    const folded = foldTexts(texts);
    return folded === row[columns.folded] ? [] : [{ id: row['id'] as Int64, texts, folded }];
  });
}

/** The fault of these rows. None without ids. */
export function foldFault({ name }: AnyTable, ids: readonly Int64[]): Fault[] {
  const [first] = ids;
  if (first === undefined) return [];
  const subject =
    ids.length === 1
      ? `the folded text of 1 row of ${name} is`
      : `the folded texts of ${ids.length} rows of ${name} are`;
  return [{ kind: 'texts', message: `${subject} wrong (the first id is ${first})` }];
}
