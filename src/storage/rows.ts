import { toIso } from '../clock.ts';
import type { Sort } from '../http/contract/list-query.ts';
import type { Cell, CellRow } from '../transfer/catalogue-copy.ts';
import type { AnyTable } from './tables.ts';

/** What follows from the description of a table: its fields and columns, and the conversion of its rows. */

export type { Cell, CellRow };

/** A row, by field. */
export type Row = Readonly<Record<string, Cell>>;

export const fieldsOf = ({ columns }: AnyTable): string[] => Object.keys(columns);

/** The fields whose values may exceed the integers of a double. */
export const int64FieldsOf = ({ columns }: AnyTable): string[] =>
  Object.keys(columns).filter((field) => columns[field]?.type === 'int64');

/** The fields that a change of a resource sets. */
export const changedFieldsOf = (table: AnyTable): string[] =>
  fieldsOf(table).filter((field) => field !== 'id');

/** The fields that an insertion of a resource sets. */
export const insertedFieldsOf = (table: AnyTable): string[] =>
  table.assignsIds ? changedFieldsOf(table) : fieldsOf(table);

export function columnOf({ name, columns }: AnyTable, field: string) {
  const column = columns[field];
  if (column === undefined) throw new Error(`The table ${name} has no field ${field}.`);
  return column;
}

/** The orders of a list in SQL: the comparison of an id with one before it, and the direction. */
export const SQL_ORDERS = {
  id: { isAfter: '>', direction: 'ASC' },
  '-id': { isAfter: '<', direction: 'DESC' },
} as const satisfies Readonly<Record<Sort, object>>;

/** The names of the columns of some fields, by default of all. */
export const columnsOf = (table: AnyTable, fields: readonly string[] = fieldsOf(table)): string[] =>
  fields.map((field) => columnOf(table, field).column);

/** The filters of a list that compare a column with values. */
export const comparingFiltersOf = ({ filters }: AnyTable): string[] =>
  Object.keys(filters).filter((name) => !filters[name]?.isOther);

/** The columns of a resource in SELECT, each under the name of its field. */
export const selectListOf = ({ columns }: AnyTable): string =>
  Object.entries(columns)
    .map(([field, { column }]) => (column === field ? column : `${column} AS "${field}"`))
    .join(', ');

/** Returns a function from rows to resources. A resource does not have the fields that are NULL. */
export function resourceOf<Resource>(table: AnyTable): (row: Row) => Resource {
  const fields = Object.entries(table.columns).map(([field, { type, isNullable }]) => ({
    field,
    isTime: type === 'time',
    isNullable,
  }));
  const nullable = fields.filter(({ isNullable }) => isNullable).map(({ field }) => field);
  const hasTimes = fields.some(({ isTime }) => isTime);
  const hasNull = (row: Row): boolean => {
    for (const field of nullable) if (row[field] === null) return true;
    return false;
  };
  return (row) => {
    // Most rows are resources already. A copy of each row would cost a page of animals 2 to 5 %.
    if (!(hasTimes || hasNull(row))) return row as Resource;
    const resource: Record<string, unknown> = {};
    for (const { field, isTime } of fields) {
      const value = row[field];
      if (value !== null) resource[field] = isTime ? toIso(Number(value)) : value;
    }
    return resource as Resource;
  };
}

/** Returns a function from resources to the values of some fields as stored. A missing field is NULL. */
export function valuesOf(table: AnyTable, fields: readonly string[]): (resource: object) => Cell[] {
  const stored = fields.map((field) => ({ field, isTime: columnOf(table, field).type === 'time' }));
  return (resource) =>
    stored.map(({ field, isTime }) => {
      const value = (resource as Readonly<Record<string, Cell | undefined>>)[field];
      if (value === undefined) return null;
      return isTime ? Date.parse(String(value)) : value;
    });
}
