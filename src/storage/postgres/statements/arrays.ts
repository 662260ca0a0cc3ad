import { type Cell, columnOf } from '../../rows.ts';
import type { AnyTable, ColumnType } from '../../tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  int64: 'bigint',
  integer: 'bigint',
  time: 'bigint',
  text: 'text',
  bytes: 'bytea',
};

/** The PostgreSQL type of a field's column. */
export const typeOf = (table: AnyTable, field: string): string =>
  TYPES[columnOf(table, field).type];

/** A set of rows with columns of these types. Each column is an array, and its own parameter. */
export const unnest = (types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`;

/** The parameters of `unnest`: an array for each of `width` columns. */
export const arraysOf = (rows: readonly (readonly Cell[])[], width: number): string[] =>
  Array.from({ length: width }, (_column, index) => arrayOf(rows.map((row) => row[index] ?? null)));

/** Formats values as the text of a PostgreSQL array, to send them as one parameter. */
export const arrayOf = (values: readonly Cell[]): string => `{${values.map(toElement).join()}}`;

function toElement(value: Cell): string {
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return String(value ?? 'NULL');
}
