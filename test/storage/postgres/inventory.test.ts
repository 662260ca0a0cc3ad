/** Triggers count the animals of each statement, all of them and those of each category. Nobody waits for a count, and none is lost. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Inventory } from '../../../src/categories/inventory.ts';
import type { Database } from '../../../src/storage/database.ts';
import { PostgresSql } from '../../../src/storage/postgres/statements/postgres-sql.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';
import { StoredPets } from '../../../src/storage/stores/pet-store.ts';
import { importPets } from '../../support/catalogue.ts';
import { rex } from '../animals.ts';
import { addMany, expectExact, INSERT, rowsOfCounts } from './counts.ts';
import { gate, useScratch } from './scratch.ts';

const scratch = useScratch();
let database: Database;
beforeAll(async () => {
  database = await scratch.openShared();
});

const totalOf = (inventory: Inventory) => Object.values(inventory).reduce((sum, n) => sum + n, 0);

describe('changes by other programs', () => {
  test.each([
    "UPDATE animal_store.pets SET status = 'sold'",
    'UPDATE animal_store.pets SET status = NULL WHERE id > 2',
    'UPDATE animal_store.pets SET category_id = 3 - category_id',
    "UPDATE animal_store.pets SET category_id = 9, status = 'sold'",
    "UPDATE animal_store.pets SET name = 'x'",
    'DELETE FROM animal_store.pets WHERE id > 2',
    'TRUNCATE animal_store.pets',
    `TRUNCATE animal_store.pets; ${INSERT}`,
    'TRUNCATE animal_store.pets, animal_store.category_counts',
    `INSERT INTO animal_store.pets (id, name, category_id, status) VALUES (1, 'x', 7, 'sold'), (999, 'x', 1, 'pending')
     ON CONFLICT (id) DO UPDATE SET category_id = excluded.category_id, status = excluded.status`,
    `MERGE INTO animal_store.pets USING (VALUES (1), (2), (999)) AS v (id) ON pets.id = v.id
     WHEN MATCHED AND v.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET category_id = 2, status = 'sold'
     WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', 3, 'pending')`,
    `WITH moved AS (DELETE FROM animal_store.pets WHERE id = 1 RETURNING *)
     INSERT INTO animal_store.pets (name, category_id, status) SELECT name, category_id, 'sold' FROM moved`,
    `${INSERT}; SAVEPOINT one; DELETE FROM animal_store.pets; ROLLBACK TO one`,
  ])('are counted: %s', async (statement) => {
    await addMany(scratch);
    await database.compactInventory();
    await scratch.sql.unsafe(INSERT);
    await scratch.sql.begin((sql) => sql.unsafe(statement));
    await expectExact(scratch.sql);
    const [row] = await scratch.sql`SELECT count(*)::int AS animals FROM animal_store.pets`;
    expect(totalOf(await database.read.pets.inventory())).toBe(row?.['animals']);
  });

  test('that change no status and no category add no row of counts', async () => {
    await scratch.sql.unsafe(INSERT);
    const [, added = 0] = await rowsOfCounts(scratch);
    await scratch.sql.unsafe(
      "UPDATE animal_store.pets SET name = 'x', status = status, category_id = category_id",
    );
    await scratch.sql.unsafe('DELETE FROM animal_store.pets WHERE id > 1000');
    expect(await rowsOfCounts(scratch)).toEqual([0, added]);
    await scratch.sql.unsafe('UPDATE animal_store.pets SET category_id = 5 WHERE id = 1');
    expect(await rowsOfCounts(scratch)).toEqual([0, added + 2]);
  });
});

test('two open transactions that add animals do not wait for each other', async () => {
  const both = [gate(), gate()] as const;
  await Promise.all(
    both.map((own, index) =>
      scratch.sql.begin(async (sql) => {
        await sql.unsafe(`SET LOCAL lock_timeout = '5s'; ${INSERT}`);
        await sql.unsafe("UPDATE animal_store.pets SET status = 'available' WHERE status = 'sold'");
        own.open();
        await both[1 - index]?.opened;
        await sql.unsafe(INSERT);
      }),
    ),
  );
  await expectExact(scratch.sql);
});

test('the counts do not read the animals', async () => {
  await importPets(database, [rex(), rex({ status: 'sold', categoryId: 2 })]);
  await scratch.sql.begin(async (sql) => {
    await sql.unsafe('LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE');
    expect(await database.read.pets.inventory()).toMatchObject({ sold: 1, unset: 1 });
    expect(await database.read.pets.inventoriesOf([2, 1, 3])).toMatchObject([
      { sold: 1, unset: 0 },
      { sold: 0, unset: 1 },
      { sold: 0, unset: 0 },
    ]);
  });
});

test('the counts of a category are read by indexes', async () => {
  const texts: string[] = [];
  const run: unknown = async (text: string) => {
    texts.push(text);
    return [];
  };
  await new StoredPets(new PostgresSql(run as Run)).inventoriesOf([1]);
  await scratch.sql.begin(async (sql) => {
    await sql`SET LOCAL enable_seqscan = off`;
    const plan = await sql.unsafe(`EXPLAIN ${texts[0]?.replaceAll('$1', "'{1}'")}`);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toMatch(/category_counts_by_kind.*\n +Index Cond: .*is_sum.*category_id/s);
  });
});
