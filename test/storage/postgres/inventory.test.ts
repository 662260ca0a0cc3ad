/** Triggers count the animals of each statement. Nobody waits for a count, and none is lost. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { TransactionSql } from 'postgres';
import { UsageCounter } from '../../../src/observe/usage.ts';
import type { Inventory } from '../../../src/pets/pet-store.ts';
import { startBackgroundJobs } from '../../../src/server/background-jobs.ts';
import type { Database } from '../../../src/storage/database.ts';
import { importPets } from '../../support/catalogue.ts';
import { until } from '../../support/process.ts';
import { rex } from '../animals.ts';
import { gate, openScratch, type Scratch } from './scratch.ts';

const INSERT = `INSERT INTO animal_store.pets (name, category_id, status)
  VALUES ('a', 1, 'available'), ('b', 1, 'pending'), ('c', 1, 'sold'), ('d', 1, NULL), ('e', 1, 'sold')`;

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.remove());

/** The difference between the counts and the animals in one snapshot, and the rows of counts. */
const DIFFERENCE = `SELECT
  coalesce(sum(available), 0) - (SELECT count(*) FROM animal_store.pets WHERE status = 'available') AS available,
  coalesce(sum(pending), 0) - (SELECT count(*) FROM animal_store.pets WHERE status = 'pending') AS pending,
  coalesce(sum(sold), 0) - (SELECT count(*) FROM animal_store.pets WHERE status = 'sold') AS sold,
  coalesce(sum(unset), 0) - (SELECT count(*) FROM animal_store.pets WHERE status IS NULL) AS unset
  FROM animal_store.pet_counts`;

async function expectExact(sql: Pick<TransactionSql, 'unsafe'> = scratch.sql): Promise<void> {
  const [difference] = await sql.unsafe(DIFFERENCE);
  expect({ ...difference }).toEqual({ available: '0', pending: '0', sold: '0', unset: '0' });
}

async function countRows(): Promise<number> {
  const [row] = await scratch.sql`SELECT count(*)::int AS rows FROM animal_store.pet_counts`;
  return row?.['rows'];
}

const totalOf = (inventory: Inventory) => Object.values(inventory).reduce((sum, n) => sum + n, 0);

/** Adds rows of counts until a compaction is due. */
async function addMany(database: Database): Promise<void> {
  for (let index = 0; index < 120; index += 1)
    await database.write(({ pets }) => pets.create(rex({ status: 'sold' })));
}

describe('changes by other programs', () => {
  test.each([
    "UPDATE animal_store.pets SET status = 'sold'",
    'UPDATE animal_store.pets SET status = NULL WHERE id > 2',
    "UPDATE animal_store.pets SET name = 'x'",
    'DELETE FROM animal_store.pets WHERE id > 2',
    'TRUNCATE animal_store.pets',
    `TRUNCATE animal_store.pets; ${INSERT}`,
    'TRUNCATE animal_store.pets, animal_store.pet_counts',
    `INSERT INTO animal_store.pets (id, name, category_id, status) VALUES (1, 'x', 1, 'sold'), (9, 'x', 1, 'pending')
     ON CONFLICT (id) DO UPDATE SET status = excluded.status`,
    `MERGE INTO animal_store.pets USING (VALUES (1), (2), (70)) AS v (id) ON pets.id = v.id
     WHEN MATCHED AND v.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET status = 'sold'
     WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', 1, 'pending')`,
    `WITH moved AS (DELETE FROM animal_store.pets WHERE id = 1 RETURNING *)
     INSERT INTO animal_store.pets (name, category_id, status) SELECT name, category_id, 'sold' FROM moved`,
    `${INSERT}; SAVEPOINT one; DELETE FROM animal_store.pets; ROLLBACK TO one`,
  ])('are counted: %s', async (statement) => {
    const database = await scratch.open();
    await scratch.sql.unsafe(INSERT);
    await scratch.sql.begin((sql) => sql.unsafe(statement));
    await expectExact();
    const [row] = await scratch.sql`SELECT count(*)::int AS animals FROM animal_store.pets`;
    expect(totalOf(await database.read.pets.inventory())).toBe(row?.['animals']);
  });

  test('that change no status add no row of counts', async () => {
    await scratch.open();
    await scratch.sql.unsafe(INSERT);
    const before = await countRows();
    await scratch.sql.unsafe("UPDATE animal_store.pets SET name = 'x', status = status");
    await scratch.sql.unsafe('DELETE FROM animal_store.pets WHERE id > 1000');
    expect(await countRows()).toBe(before);
  });
});

describe('a compaction', () => {
  test('replaces many rows of counts by one, and few rows by none', async () => {
    const database = await scratch.open();
    await addMany(database);
    expect(await countRows()).toBeGreaterThan(100);
    await database.compactInventory();
    expect(await countRows()).toBe(1);
    await database.write(({ pets }) => pets.create(rex()));
    await database.compactInventory();
    expect(await countRows()).toBe(2);
    expect(await database.read.pets.inventory()).toEqual({
      available: 0,
      pending: 0,
      sold: 120,
      unset: 1,
    });
  });

  test('works while the tables are replicated to another server by their rows', async () => {
    const database = await scratch.open();
    await scratch.sql.unsafe('CREATE PUBLICATION everything FOR ALL TABLES');
    await addMany(database);
    await database.compactInventory();
    expect(await countRows()).toBe(1);
  });

  test('is a background job of a running service', async () => {
    const database = await scratch.open();
    const observed: unknown[] = [];
    const { stop } = startBackgroundJobs({
      database,
      usage: new UsageCounter(async () => {}),
      clock: { now: Date.now },
      observe: (observation) => observed.push(observation),
      orderRetentionMs: Number.POSITIVE_INFINITY,
    });
    try {
      await addMany(database);
      await until(async () => (await countRows()) < 100);
    } finally {
      await stop();
    }
    expect(await database.read.pets.inventory()).toMatchObject({ sold: 120 });
    expect(observed).toEqual([]);
  });

  test('by two instances during additions loses nothing, and every read is exact', async () => {
    const instances = await Promise.all([scratch.open(), scratch.open()]);
    let isAdding = true;
    const add = async (database: Database) => {
      for (let index = 0; index < 150; index += 1) {
        const statuses = ['available', 'pending', 'sold'] as const;
        const added = statuses.map((status) =>
          database.write(({ pets }) => pets.create(rex({ status }))),
        );
        const batched = statuses.map(async (status) => database.blind.pets.create(rex({ status })));
        await Promise.all([...added, ...batched]);
      }
    };
    const compact = async (database: Database) => {
      while (isAdding) await database.compactInventory();
    };
    const check = async (database: Database) => {
      for (let before = 0; isAdding; ) {
        await expectExact();
        const now = totalOf(await database.read.pets.inventory());
        expect(now).toBeGreaterThanOrEqual(before);
        before = now;
      }
    };
    const others = instances.flatMap((instance) => [compact(instance), check(instance)]);
    await Promise.all(instances.map(add)).finally(() => {
      isAdding = false;
    });
    await Promise.all(others);
    await expectExact();
    const counts = await instances[0].read.pets.inventory();
    expect(counts).toEqual({ available: 600, pending: 600, sold: 600, unset: 0 });
  });

  test('does not wait for an open transaction, nor the transaction for it', async () => {
    const database = await scratch.open();
    await addMany(database);
    const { opened, open } = gate();
    const added = gate();
    const transaction = scratch.sql.begin(async (sql) => {
      await sql.unsafe(INSERT);
      added.open();
      await opened;
      await sql.unsafe(INSERT);
      await expectExact(sql);
    });
    await added.opened;
    await database.compactInventory();
    expect(await countRows()).toBe(1);
    open();
    await transaction;
    expect(await countRows()).toBe(3);
    await expectExact();
  });

  test('that runs beside TRUNCATE loses nothing', async () => {
    const database = await scratch.open();
    await addMany(database);
    const compacted = gate();
    const { opened, open } = gate();
    const compaction = scratch.sql.begin(async (sql) => {
      await sql.unsafe(`WITH removed AS (DELETE FROM animal_store.pet_counts RETURNING *)
        INSERT INTO animal_store.pet_counts
        SELECT sum(available), sum(pending), sum(sold), sum(unset) FROM removed`);
      compacted.open();
      await opened;
    });
    await compacted.opened;
    await scratch.sql.unsafe(`TRUNCATE animal_store.pets; ${INSERT}`);
    open();
    await compaction;
    await expectExact();
  });
});

test('two open transactions that add animals do not wait for each other', async () => {
  await scratch.open();
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
  await expectExact();
});

test('the inventory does not read the animals', async () => {
  const database = await scratch.open();
  await importPets(database, [rex(), rex({ status: 'sold' })]);
  await scratch.sql.begin(async (sql) => {
    await sql.unsafe('LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE');
    expect(await database.read.pets.inventory()).toMatchObject({ sold: 1, unset: 1 });
  });
  expect(await countRows()).toBeLessThan(5);
});
