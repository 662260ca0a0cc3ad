import { columnsOf } from '../../src/storage/rows.ts';
import { type ColumnType, TABLES } from '../../src/storage/tables.ts';

export interface RealColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly isNullable: boolean;
}

/** Tables that no copy contains: what is derived from the animals, the state of the feed, and the version of the schema. */
export const UNDESCRIBED = [
  'category_counts',
  'outbox',
  'event_feed',
  'last_backup',
  'schema_version',
];

/** All columns as `src/storage/tables.ts` describes them, by table and name. */
export const describedColumns = (types: Readonly<Record<ColumnType, string>>): RealColumn[] =>
  sorted(
    TABLES.flatMap(({ name, columns, search }) => [
      ...Object.values(columns).map(({ column, type, isNullable = false }) => ({
        table: name,
        column,
        type: types[type],
        isNullable,
      })),
      ...(search?.column === undefined
        ? []
        : [{ table: name, column: search.column, type: types.text, isNullable: false }]),
    ]),
  );

/** The columns of each primary key, in its order. */
export const describedKeys = (): Record<string, string[]> =>
  Object.fromEntries(TABLES.map((table) => [table.name, columnsOf(table, table.key)]));

export const sorted = (columns: readonly RealColumn[]): RealColumn[] =>
  columns.toSorted((a, b) => (`${a.table} ${a.column}` < `${b.table} ${b.column}` ? -1 : 1));
