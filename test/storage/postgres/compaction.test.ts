/** A compaction moves the counts of many statements into few rows. Every snapshot contains either, and nobody waits for it. */
import { beforeAll, expect, test } from 'bun:test';
import { UsageCounter } from '../../../src/observe/usage.ts';
import { startBackgroundJobs } from '../../../src/server/background-jobs.ts';
import type { Database } from '../../../src/storage/database.ts';
import { until } from '../../support/process.ts';
import { addMany, expectExact, INSERT, rowsOfCounts } from './counts.ts';
import { gate, useScratch } from './scratch.ts';

const scratch = useScratch();
let database: Database;
beforeAll(async () => {
  database = await scratch.openShared();
});

test('replaces many rows, and few not, and leaves no row of a category without animals', async () => {
  await addMany(scratch);
  expect(await rowsOfCounts(scratch)).toEqual([0, 120]);
  await database.compactInventory();
  expect(await rowsOfCounts(scratch)).toEqual([120, 0]);
  await scratch.sql`DELETE FROM animal_store.pets WHERE category_id < 110`;
  await database.compactInventory();
  expect(await rowsOfCounts(scratch)).toEqual([10, 0]);
  await scratch.sql`DELETE FROM animal_store.pets WHERE category_id < 115`;
  await database.compactInventory();
  expect(await rowsOfCounts(scratch)).toEqual([10, 5]);
  await expectExact(scratch.sql);
  expect(await database.read.pets.inventory(114)).toMatchObject({ sold: 0 });
  expect(await database.read.pets.inventory()).toEqual({
    available: 1,
    pending: 1,
    sold: 1,
    unset: 2,
  });
});

test('takes several transactions for the changes of an import into very many categories', async () => {
  await scratch.sql`INSERT INTO animal_store.pets (name, category_id)
    SELECT 'Rex', id FROM generate_series(1, 10150) AS id`;
  await database.compactInventory();
  const [row] = await scratch.sql`SELECT count(DISTINCT xmin::text)::int AS transactions
    FROM animal_store.category_counts WHERE is_sum`;
  expect(row?.['transactions']).toBe(2);
  expect(await rowsOfCounts(scratch)).toEqual([10_150, 0]);
  await expectExact(scratch.sql);
});

/** If there are very many rows, the removal of an animal can be compacted before its addition. */
test('keeps sums that are below 0 for one status and above for another, from 101 rows on', async () => {
  const insert = (count: number) => scratch.sql`INSERT INTO animal_store.category_counts
    SELECT 7, -1, 0, 1, 0 FROM generate_series(1, ${count}::int)`;
  await insert(100);
  await database.compactInventory();
  expect(await rowsOfCounts(scratch)).toEqual([0, 100]);
  await insert(1);
  await database.compactInventory();
  const rows = await scratch.sql`SELECT * FROM animal_store.category_counts`;
  expect(rows.map((row) => Object.values(row))).toEqual([['7', '-101', '0', '101', '0', true]]);
});

test('replaces the sum of a category that changed, and no other one', async () => {
  await addMany(scratch);
  await database.compactInventory();
  const sums = () => scratch.sql<{ xmin: string; category: string }[]>`
    SELECT xmin::text, category_id AS category FROM animal_store.category_counts ORDER BY category_id`;
  const before = await sums();
  for (let count = 0; count < 101; count += 1) await scratch.sql.unsafe(INSERT);
  await database.compactInventory();
  const replaced = (await sums()).filter(({ xmin }, index) => xmin !== before[index]?.xmin);
  expect(replaced.map(({ category }) => category)).toEqual(['1', '2']);
  expect(await rowsOfCounts(scratch)).toEqual([120, 0]);
  await expectExact(scratch.sql);
});

test('works while the tables are replicated to another server by their rows', async () => {
  await scratch.sql.unsafe('CREATE PUBLICATION everything FOR ALL TABLES');
  await addMany(scratch);
  await database.compactInventory();
  await addMany(scratch);
  await scratch.sql`DELETE FROM animal_store.pets WHERE category_id < 3`;
  await database.compactInventory();
  expect(await rowsOfCounts(scratch)).toEqual([117, 0]);
  await expectExact(scratch.sql);
  await scratch.sql`DROP PUBLICATION everything`;
});

test('is a background job of a running service', async () => {
  const observed: unknown[] = [];
  const { stop } = startBackgroundJobs({
    database,
    usage: new UsageCounter(async () => {}),
    clock: { now: Date.now },
    observe: (observation) => observed.push(observation),
    orderRetentionMs: Number.POSITIVE_INFINITY,
    eventRetentionMs: Number.POSITIVE_INFINITY,
  });
  try {
    await addMany(scratch);
    await until(async () => `${await rowsOfCounts(scratch)}` === '120,0');
  } finally {
    await stop();
  }
  expect(observed).toEqual([]);
});

test('does not wait for an open transaction, nor the transaction for it', async () => {
  await addMany(scratch);
  const { opened, open } = gate();
  const added = gate();
  const transaction = scratch.sql.begin(async (sql) => {
    await sql.unsafe(`SET LOCAL lock_timeout = '5s'; ${INSERT}`);
    added.open();
    await opened;
    await sql.unsafe(INSERT);
    await expectExact(sql);
  });
  await added.opened;
  await database.compactInventory();
  expect(await rowsOfCounts(scratch)).toEqual([120, 0]);
  open();
  await transaction;
  expect(await rowsOfCounts(scratch)).toEqual([120, 4]);
  await expectExact(scratch.sql);
});

test('that runs beside TRUNCATE loses nothing', async () => {
  await addMany(scratch);
  const { opened, open } = gate();
  const compacted = gate();
  const compaction = scratch.sql.begin(async (sql) => {
    await sql.unsafe(`WITH replaced AS (DELETE FROM animal_store.category_counts RETURNING *)
      INSERT INTO animal_store.category_counts
      SELECT category_id, available, pending, sold, unset, true FROM replaced`);
    compacted.open();
    await opened;
  });
  await compacted.opened;
  await scratch.sql.unsafe(`TRUNCATE animal_store.pets; ${INSERT}`);
  open();
  await compaction;
  await expectExact(scratch.sql);
});

test('by two instances during changes loses nothing, and every read is exact', async () => {
  const instances = [database, await scratch.open()] as const;
  let isChanging = true;
  const change = async (name: string) => {
    for (let round = 0; round < 10; round += 1) {
      await scratch.sql`INSERT INTO animal_store.pets (name, category_id, status)
        SELECT ${name}, id, 'sold' FROM generate_series(1, 60) AS id`;
      await scratch.sql`UPDATE animal_store.pets SET category_id = 59 - ${round}::int, status = NULL
        WHERE name = ${name} AND category_id = ${round}`;
      await scratch.sql`DELETE FROM animal_store.pets
        WHERE name = ${name} AND category_id % 7 = ${round % 7}`;
    }
  };
  const compact = async (instance: Database) => {
    while (isChanging) await instance.compactInventory();
  };
  const check = async () => {
    while (isChanging) await expectExact(scratch.sql);
  };
  const others = [...instances.map(compact), check()];
  await Promise.all(['one', 'other'].map(change)).finally(() => {
    isChanging = false;
  });
  await Promise.all(others);
  await expectExact(scratch.sql);
});
