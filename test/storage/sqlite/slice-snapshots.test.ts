/** A slice of a search is read as of one moment, whatever other connections commit between its statements. */
import type { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Lists } from '../../../src/storage/lists.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { ORDERS, PETS } from '../../../src/storage/tables.ts';
import { openScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
let other: Sqlite;
beforeAll(() => {
  scratch = openScratch();
  other = scratch.writing();
  migrate(other, 'scratch');
});
afterAll(() => scratch.remove());
beforeEach(() => {
  other.run(`DELETE FROM pets; DELETE FROM orders;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO pets (id, name, category_id, folded_name) SELECT i, 'x', 1, iif(i = 15, 'rex', 'x') FROM n;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO orders (id, pet_id, status, created_at, ended_at, folded_texts)
        SELECT i, i, 'cancelled', 0, 0, iif(i = 15, 'rex', 'x') FROM n`);
});

/** A connection beside which another one deletes the first rows as soon as a statement has looked for matches. */
function disturbed(table: string): Sqlite {
  const connection = scratch.writing();
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    const statement = prepare(sql);
    if (!sql.includes('instr(')) return statement;
    const all = statement.all.bind(statement);
    statement.all = (...parameters) => {
      const rows = all(...parameters);
      other.run(`DELETE FROM ${table} WHERE id <= 5`);
      return rows;
    };
    return statement;
  }) as typeof connection.prepare;
  return connection;
}

test.each([
  ['animals', PETS],
  ['orders', ORDERS],
])(
  'a search of %s finds what is there all the time, although rows before it are deleted',
  async (_what, table) => {
    const sql = new SqliteSql(disturbed(table.name));
    const lists = new Lists(table);
    const read = (after?: number) =>
      lists.slice(sql, 'rex', { filters: {}, sort: 'id' }, { after, wanted: 9, rows: 10 });
    const first = await read();
    expect(first).toEqual({ items: [], next: 10 });
    const { items } = await read(Number(first.next));
    expect(items).toMatchObject([{ id: 15 }]);
  },
);
