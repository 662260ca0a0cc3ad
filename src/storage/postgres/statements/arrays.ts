import type { Cell } from '../../rows.ts';
import type { ColumnType } from '../../tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  int64: 'bigint',
  integer: 'bigint',
  time: 'bigint',
  text: 'text',
  bytes: 'bytea',
};

/** A set of rows with columns of these types. Each column is an array, and its own parameter. */
export const unnest = (types: readonly ColumnType[]): string =>
  `unnest(${types.map((type, index) => `$${index + 1}::${TYPES[type]}[]`).join(', ')})`;

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
