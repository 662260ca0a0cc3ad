/** The description of the tables is the real schema. What it leaves out would be in no copy. */
import { expect, test } from 'bun:test';
import { TABLES } from '../../../src/storage/tables.ts';
import { describedColumns, describedKeys, sorted, UNDESCRIBED } from '../table-columns.ts';
import { column, useMigrated } from './scratch.ts';

const connection = useMigrated();

interface Info {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

const realColumns = (): Info[] =>
  connection
    .query<Info, []>(
      `SELECT tables.name AS "table", info.* FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS info
      WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`,
    )
    .all()
    .filter(({ table }) => !UNDESCRIBED.includes(table));

test('each column is described, with its type and whether it can be NULL', () => {
  const real = realColumns().map(({ table, name, type, notnull, pk }) => ({
    table,
    column: name,
    type,
    isNullable: notnull === 0 && pk === 0,
  }));
  const types = { int64: 'INTEGER', integer: 'INTEGER', time: 'INTEGER', text: 'TEXT' };
  expect(sorted(real)).toEqual(describedColumns({ ...types, bytes: 'BLOB' }));
});

test('each primary key is described, in its order', () => {
  const keys: Record<string, string[]> = {};
  for (const { table, name, pk } of realColumns()) {
    keys[table] ??= [];
    if (pk > 0) keys[table][pk - 1] = name;
  }
  expect(keys).toEqual(describedKeys());
});

test('the tables that assign ids never assign one twice', () => {
  const real = column(
    connection,
    "SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' ORDER BY name",
  );
  const described = TABLES.filter(({ assignsIds }) => assignsIds).map(({ name }) => name);
  expect(real).toEqual(described.sort());
});
