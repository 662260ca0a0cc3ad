/** Triggers count the animals, whatever program changes them. */
import type { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { COUNTED } from '../../../src/storage/category-counts.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { StoredPets } from '../../../src/storage/stores/pet-store.ts';
import { useEach } from '../../support/use-each.ts';
import { planOf, prepared } from './query-plan.ts';
import { openScratch } from './scratch.ts';

const INSERT = `INSERT INTO pets (name, category_id, status)
  VALUES ('a', 1, 'available'), ('b', 1, 'pending'), ('c', 2, 'sold'), ('d', 1, NULL), ('e', 1, 'sold')`;

const scratch = useEach(openScratch);

function expectExact(connection: Sqlite): void {
  const real = `SELECT category_id, ${COUNTED} FROM pets GROUP BY category_id`;
  const [stored, expected] = ['SELECT * FROM category_counts ORDER BY category_id', real].map(
    (text) => connection.query(text).all(),
  );
  expect(stored).toEqual(expected);
}

describe('changes of a program that does not know the counts', () => {
  test.each([
    "UPDATE pets SET status = 'sold'",
    'UPDATE pets SET category_id = 3 - category_id',
    'UPDATE pets SET category_id = 2 WHERE id > 3',
    "UPDATE pets SET category_id = id * 1000000007 * 1000000007, status = 'sold'",
    "UPDATE OR REPLACE pets SET category_id = 9, status = 'sold'",
    "INSERT OR REPLACE INTO pets (name, category_id, status) VALUES ('x', 1, 'sold'), ('y', 7, NULL)",
    'UPDATE pets SET status = NULL WHERE id > 2',
    "UPDATE pets SET id = id + 100, name = name || '!'",
    "UPDATE OR IGNORE pets SET id = 3, status = 'sold' WHERE id < 3",
    'DELETE FROM pets WHERE id > 2',
    'DELETE FROM pets',
    "INSERT OR IGNORE INTO pets (id, name, category_id, status) VALUES (1, 'x', 1, 'sold'), (9, 'x', 1, 'pending')",
    "INSERT INTO pets (id, name, category_id, status) VALUES (1, 'x', 1, 'sold') ON CONFLICT DO UPDATE SET status = excluded.status",
    "PRAGMA recursive_triggers = ON; REPLACE INTO pets (id, name, category_id, status) VALUES (1, 'x', 1, 'sold'), (9, 'x', 1, NULL)",
    `BEGIN; ${INSERT}; SAVEPOINT one; DELETE FROM pets; ROLLBACK TO one; COMMIT`,
    `BEGIN; ${INSERT}; ROLLBACK`,
  ])('are counted: %s', async (sql) => {
    const database = openSqlite(scratch.path);
    try {
      const foreign = scratch.foreign();
      foreign.run(INSERT);
      foreign.run(sql);
      expectExact(foreign);
    } finally {
      await database.close();
    }
  });
});

test.each(['DELETE FROM pets', 'UPDATE pets SET category_id = 9'])(
  'a category has its row as long as it has one animal, whatever the status of it: %s',
  (change) => {
    const connection = scratch.writing();
    migrate(connection, scratch.path);
    connection.run(INSERT.replaceAll('2', '1'));
    for (let last = 1; last <= 4; last += 1) {
      connection.run(`BEGIN; ${change} WHERE id <> ${last}`);
      expectExact(connection);
      connection.run('ROLLBACK');
    }
  },
);

test('the inventory reads the counts of all categories, and those of a category read one row, for any number of animals', () => {
  const connection = scratch.writing();
  migrate(connection, scratch.path);
  const statements = prepared(connection, (on) => {
    const store = new StoredPets(new SqliteSql(on));
    store.inventory();
    store.inventoriesOf([1, 2]);
  }).filter((sql) => sql.includes('category_counts'));
  const plans = statements.map((sql) => planOf(connection, sql));
  expect(plans).toContainEqual(['SCAN category_counts']);
  expect(plans).toContainEqual([
    'SEARCH category_counts USING INTEGER PRIMARY KEY (rowid=?)',
    'LIST SUBQUERY 1',
    expect.stringContaining('SCAN json_each'),
  ]);
});
