/** The migrations of orders write nothing to old ones, and lose nothing. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema/migrations.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { openScratch, type Scratch } from './scratch.ts';

/** The schema before the first of them. */
const BEFORE = MIGRATIONS.findIndex((text) => text.includes('ended_at'));
const NOON = Date.UTC(2027, 0, 1, 12);
const STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'];

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
  await migrateTo(BEFORE);
  await scratch.sql`
    INSERT INTO animal_store.orders (pet_id, status, created_at, expires_at)
    SELECT row_number() OVER (), status, ${NOON}, CASE status WHEN 'placed' THEN ${NOON}::bigint END
    FROM unnest(${STATUSES}::text[]) AS status`;
});
afterEach(() => scratch.remove());

const migrateTo = (version: number) =>
  migrate(
    { url: scratch.url, prepared: true, serverTimeoutMs: undefined },
    { migrations: MIGRATIONS.slice(0, version) },
  );
const all = async () => [
  ...(await scratch.sql`
    SELECT id, pet_id, status, created_at, expires_at, xmin::text AS written FROM animal_store.orders ORDER BY id`),
];

test('keep every order, and write only to the open ones', async () => {
  const before = await all();
  await migrateTo(MIGRATIONS.length);
  const after = await all();
  expect(after.map(({ written: _written, ...row }) => row)).toEqual(
    before.map(({ written: _written, ...row }) => row),
  );
  for (const [index, { status, written }] of after.entries()) {
    const isOpen = status === 'placed' || status === 'approved';
    expect(written === before[index]?.['written']).toBe(!isOpen);
  }
});

test('give the orders that ended the time of the migration, and no others an end', async () => {
  const from = Date.now() - 1_000;
  await migrateTo(MIGRATIONS.length);
  const database = await scratch.open();
  const order = { petId: 9, status: 'approved', createdAt: new Date(NOON).toISOString() } as const;
  await database.write(BY_TEST, ({ orders }) => orders.create(order));
  const ends = await scratch.sql<{ status: string; end: string | null }[]>`
    SELECT status, ended_at AS end FROM animal_store.orders ORDER BY id`;
  expect(ends).toHaveLength(STATUSES.length + 1);
  for (const { status, end } of ends) {
    if (status === 'placed' || status === 'approved') expect(end).toBeNull();
    else expect(Number(end)).toBeWithin(from, Date.now() + 1_000);
  }
});

test('let an older program that is still running go on', async () => {
  await migrateTo(MIGRATIONS.length);
  await scratch.sql`
    INSERT INTO animal_store.orders (pet_id, status, created_at, expires_at) VALUES (9, 'placed', 0, 1)`;
  await scratch.sql`UPDATE animal_store.orders SET status = 'approved', expires_at = NULL WHERE pet_id = 9`;
  const [added] = await scratch.sql`SELECT ended_at FROM animal_store.orders WHERE pet_id = 9`;
  expect(added).toEqual({ ended_at: null });
});

test('allow the new status, and no other', async () => {
  await migrateTo(MIGRATIONS.length);
  const add = (status: string) =>
    scratch.sql`INSERT INTO animal_store.orders (pet_id, status, created_at) VALUES (1, ${status}, 0)`;
  await add('returned');
  await expect(add('shipped').then(() => {})).rejects.toThrow('orders_status_check');
  await expect(add('approved').then(() => {})).rejects.toThrow('one_open_order');
  const unchecked = await scratch.sql`SELECT conname FROM pg_constraint WHERE NOT convalidated`;
  expect([...unchecked]).toEqual([]);
});

test.each(['reference', 'note'])('limit the length of a %s', async (name) => {
  await migrateTo(MIGRATIONS.length);
  const add = (length: number) =>
    scratch.sql`
      INSERT INTO animal_store.orders (pet_id, status, created_at, ${scratch.sql(name)})
      VALUES (1, 'cancelled', 0, ${'🐕'.repeat(length)})`.then(() => {});
  const longest = name === 'note' ? 1_000 : 100;
  await add(longest);
  await expect(add(longest + 1)).rejects.toThrow(`orders_${name}_check`);
  await expect(add(0)).rejects.toThrow(`orders_${name}_check`);
});

test('give a role that can change orders the right to delete them, and no others', async () => {
  const [service, reader] = [await scratch.createRole(), await scratch.createRole()];
  await scratch.sql`GRANT SELECT, INSERT, UPDATE ON animal_store.orders TO ${scratch.sql(service)}`;
  await scratch.sql`GRANT SELECT ON animal_store.orders TO ${scratch.sql(reader)}`;
  await migrateTo(MIGRATIONS.length);
  const mayDelete = async (role: string) =>
    (
      await scratch.sql`SELECT has_table_privilege(${role}, 'animal_store.orders', 'DELETE') AS may`
    )[0]?.['may'];
  expect([await mayDelete(service), await mayDelete(reader)]).toEqual([true, false]);
});

test('lists read the orders of before', async () => {
  const database = await scratch.open();
  const orders = await database.read.orders.list(EVERY, undefined, 10);
  expect(orders.map(({ status }) => status) as string[]).toEqual(STATUSES);
});
