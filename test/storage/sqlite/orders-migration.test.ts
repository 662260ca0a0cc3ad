/** The migration that builds the table of orders again loses nothing. */
import type { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { inspect } from '../../../src/storage/sqlite/maintenance/inspect.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/schema/migrations.ts';
import { SqliteOrderStore } from '../../../src/storage/sqlite/stores/order-store.ts';
import { EVERY } from '../../support/list-query.ts';
import { column, openScratch, type Scratch } from './scratch.ts';

/** The schema before the migration. */
const BEFORE = 6;
const NOON = Date.UTC(2027, 0, 1, 12);
const STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'];

let scratch: Scratch;
let connection: Sqlite;
beforeEach(() => {
  scratch = openScratch();
  connection = scratch.writing();
  migrate(connection, scratch.path, MIGRATIONS.slice(0, BEFORE));
});
afterEach(() => scratch.remove());

/** Adds an order of each status with gaps between the ids, for animals that are pending. */
function fill(): void {
  connection.run(
    "INSERT INTO pets (name, category_id, status) VALUES ('a', 1, 'pending'), ('b', 1, 'pending')",
  );
  for (const [index, status] of STATUSES.entries()) {
    const expiresAt = status === 'placed' ? NOON + 1 : null;
    connection
      .query(
        'INSERT INTO orders (id, pet_id, status, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
      )
      .run(index * 10 + 1, (index % 2) + 1, status, NOON + index, expiresAt);
  }
}
const migrateNow = () => migrate(connection, scratch.path);
const rows = () =>
  connection
    .query('SELECT id, pet_id, status, created_at, expires_at FROM orders ORDER BY id')
    .values();

test('keeps every order as it was', () => {
  fill();
  const before = rows();
  migrateNow();
  expect(rows()).toEqual(before);
  expect(column(connection, 'PRAGMA integrity_check')).toEqual(['ok']);
  expect(inspect(connection)).toEqual([]);
});

test('gives the orders that ended the time of the migration, and no others an end', () => {
  fill();
  const from = Date.now();
  migrateNow();
  const ends = connection
    .query<{ status: string; ended_at: number | null }, []>('SELECT status, ended_at FROM orders')
    .all();
  for (const { status, ended_at } of ends) {
    if (status === 'placed' || status === 'approved') expect(ended_at).toBeNull();
    else expect(ended_at).toBeWithin(from, Date.now() + 1);
  }
  expect(new Set(ends.map(({ ended_at }) => ended_at)).size).toBe(2);
});

test.each([
  ['the highest id of an order that is gone', 100, 101],
  ['the highest id of all', 41, 42],
])('does not assign an id again: %s', (_what, highest, next) => {
  fill();
  if (highest > 41) {
    connection.run(
      `INSERT INTO orders (id, pet_id, status, created_at) VALUES (${highest}, 9, 'cancelled', 0)`,
    );
    connection.run(`DELETE FROM orders WHERE id = ${highest}`);
  }
  migrateNow();
  const order = { petId: 5, status: 'cancelled', createdAt: new Date(NOON).toISOString() } as const;
  expect(new SqliteOrderStore(connection).create(order, NOON).id).toBe(next);
});

test.each([0, 7])(
  'of a file without orders continues with the same id (%i were assigned)',
  (assigned) => {
    for (let id = 1; id <= assigned; id += 1)
      connection.run("INSERT INTO orders (pet_id, status, created_at) VALUES (1, 'cancelled', 0)");
    connection.run('DELETE FROM orders');
    migrateNow();
    const order = { petId: 5, status: 'placed', createdAt: new Date(NOON).toISOString() } as const;
    expect(new SqliteOrderStore(connection).create(order).id).toBe(assigned + 1);
    expect(
      column(connection, "SELECT name FROM sqlite_sequence WHERE name LIKE '%orders%'"),
    ).toEqual(['orders']);
  },
);

test('keeps one open order per animal, and refuses a status that does not exist', () => {
  fill();
  migrateNow();
  const add = (status: string) => () =>
    connection.run(`INSERT INTO orders (pet_id, status, created_at) VALUES (1, '${status}', 0)`);
  expect(add('approved')).toThrow('UNIQUE');
  expect(add('shipped')).toThrow('CHECK');
  expect(add('returned')).not.toThrow();
});

test('an older program that is still running can go on', () => {
  fill();
  const insert = connection.prepare(
    'INSERT INTO orders (pet_id, status, created_at, expires_at) VALUES (?, ?, ?, ?)',
  );
  const update = connection.prepare(
    'UPDATE orders SET pet_id = ?, status = ?, created_at = ?, expires_at = ? WHERE id = ?',
  );
  migrate(scratch.writing(), scratch.path);
  insert.run(7, 'placed', NOON, NOON + 1);
  update.run(1, 'cancelled', NOON, null, 1);
  expect(rows()).toHaveLength(STATUSES.length + 1);
});

test("keeps an operator's view of the orders", () => {
  fill();
  connection.run(
    'CREATE VIEW report AS SELECT status, count(*) AS count FROM orders GROUP BY status',
  );
  migrateNow();
  expect(column(connection, 'SELECT status FROM report ORDER BY 1')).toEqual(STATUSES.toSorted());
});

test('a check of the schema before it looks for no column of a later one', () => {
  fill();
  expect(inspect(connection)).toEqual([]);
  connection.run("UPDATE orders SET created_at = 9223372036854775807 WHERE status = 'expired'");
  expect(inspect(connection)).toEqual([
    { kind: 'rows', message: 'row 41 of orders contains an impossible time' },
  ]);
});

test('lists read the orders of before', () => {
  fill();
  migrateNow();
  const orders = new SqliteOrderStore(connection);
  expect(orders.list(EVERY, undefined, 10).map(({ status }) => status) as string[]).toEqual(
    STATUSES,
  );
});
