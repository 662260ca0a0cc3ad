/** The counts of categories: exact in every snapshot, read by an index, merged in the background. Nobody waits for a count. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { TransactionSql } from 'postgres';
import type { Database } from '../../../src/storage/database.ts';
import { importPets } from '../../support/catalogue.ts';
import { rex } from '../animals.ts';
import { gate, openScratch, type Scratch } from './scratch.ts';

const INSERT = `INSERT INTO animal_store.pets (name, category_id, status)
  VALUES ('a', 1, 'available'), ('b', 1, 'pending'), ('c', 2, 'sold'), ('d', 1, NULL), ('e', 1, 'sold')`;

/** The categories whose sums differ from a count of their animals, in one snapshot. */
const DIFFERENCES = `SELECT category_id, sum(change) FROM (
    SELECT category_id, status, 1 AS change FROM animal_store.pets
    UNION ALL
    SELECT category_id, status, -count FROM
      (TABLE animal_store.category_counts UNION ALL TABLE animal_store.category_count_changes) AS counts,
      LATERAL (VALUES ('available', available), ('pending', pending), ('sold', sold), (NULL, unset)) AS by_status (status, count)
  ) AS changes GROUP BY category_id, status HAVING sum(change) <> 0`;

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.remove());

async function expectExact(sql: Pick<TransactionSql, 'unsafe'> = scratch.sql): Promise<void> {
  expect([...(await sql.unsafe(DIFFERENCES))]).toEqual([]);
}

type Counts = 'pet_counts' | 'category_counts' | 'category_count_changes';

const rowsOf = async (table: Counts): Promise<number> => {
  const [row] = await scratch.sql.unsafe(`SELECT count(*)::int AS rows FROM animal_store.${table}`);
  return row?.['rows'];
};

const STATUSES = [{ status: 'available' }, { status: 'pending' }, { status: 'sold' }, {}] as const;

/** Adds changes of the counts of 120 categories, so that a merge is due. */
const addMany = (database: Database) =>
  importPets(
    database,
    Array.from({ length: 120 }, (_, index) => rex({ categoryId: index, ...STATUSES[index % 4] })),
  );

describe('changes by other programs', () => {
  test.each([
    'UPDATE animal_store.pets SET category_id = 3 - category_id',
    'UPDATE animal_store.pets SET category_id = 2 WHERE id > 3',
    "UPDATE animal_store.pets SET category_id = 9, status = 'sold'",
    "UPDATE animal_store.pets SET name = 'x'",
    'DELETE FROM animal_store.pets WHERE id > 2',
    'TRUNCATE animal_store.pets',
    `TRUNCATE animal_store.pets; ${INSERT}`,
    'TRUNCATE animal_store.pets, animal_store.category_counts, animal_store.category_count_changes',
    `INSERT INTO animal_store.pets (id, name, category_id, status) VALUES (1, 'x', 7, 'sold'), (9, 'x', 1, 'pending')
     ON CONFLICT (id) DO UPDATE SET category_id = excluded.category_id`,
    `MERGE INTO animal_store.pets USING (VALUES (1), (2), (70)) AS v (id) ON pets.id = v.id
     WHEN MATCHED AND v.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET category_id = 2
     WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', 3, 'pending')`,
    `${INSERT}; SAVEPOINT one; DELETE FROM animal_store.pets; ROLLBACK TO one`,
  ])('are counted by category: %s', async (statement) => {
    const database = await scratch.open();
    await addMany(database);
    await database.compactInventory();
    await scratch.sql.unsafe(INSERT);
    await scratch.sql.begin((sql) => sql.unsafe(statement));
    await expectExact();
  });

  test('that change no status and no category add no change of counts, and one category adds none to the sum', async () => {
    await scratch.open();
    await scratch.sql.unsafe(INSERT);
    const before = await rowsOf('category_count_changes');
    const sums = await rowsOf('pet_counts');
    await scratch.sql.unsafe("UPDATE animal_store.pets SET name = 'x', category_id = category_id");
    await scratch.sql.unsafe('DELETE FROM animal_store.pets WHERE id > 1000');
    expect(await rowsOf('category_count_changes')).toBe(before);
    await scratch.sql.unsafe('UPDATE animal_store.pets SET category_id = 5 WHERE id = 1');
    expect(await rowsOf('category_count_changes')).toBe(before + 2);
    expect(await rowsOf('pet_counts')).toBe(sums);
  });
});

describe('a merge', () => {
  test('moves many changes, and few not, and leaves no row of a category without animals', async () => {
    const database = await scratch.open();
    await addMany(database);
    await database.compactInventory();
    expect([await rowsOf('category_counts'), await rowsOf('category_count_changes')]).toEqual([
      120, 0,
    ]);
    await scratch.sql`DELETE FROM animal_store.pets WHERE category_id < 110`;
    await database.compactInventory();
    expect([await rowsOf('category_counts'), await rowsOf('category_count_changes')]).toEqual([
      10, 0,
    ]);
    await scratch.sql`DELETE FROM animal_store.pets WHERE category_id < 115`;
    await database.compactInventory();
    expect([await rowsOf('category_counts'), await rowsOf('category_count_changes')]).toEqual([
      10, 5,
    ]);
    await expectExact();
    expect(await database.read.pets.inventory(114)).toMatchObject({ sold: 0 });
  });

  test('takes several transactions for the changes of an import into very many categories', async () => {
    const database = await scratch.open();
    const animals = Array.from({ length: 20_050 }, (_, index) => rex({ categoryId: index }));
    await importPets(database, animals);
    const transactions = async () => {
      const [row] = await scratch.sql`SELECT count(DISTINCT xmin::text)::int AS merges
        FROM animal_store.category_counts`;
      return row?.['merges'];
    };
    await database.compactInventory();
    expect(await transactions()).toBe(2);
    expect(await rowsOf('category_count_changes')).toBe(50);
    await expectExact();
  });

  test('works while the tables are replicated to another server by their rows', async () => {
    const database = await scratch.open();
    await scratch.sql.unsafe('CREATE PUBLICATION everything FOR ALL TABLES');
    await addMany(database);
    await database.compactInventory();
    await addMany(database);
    await scratch.sql`DELETE FROM animal_store.pets WHERE category_id < 3`;
    await database.compactInventory();
    expect([await rowsOf('category_counts'), await rowsOf('category_count_changes')]).toEqual([
      117, 0,
    ]);
    await expectExact();
  });

  test('does not wait for an open transaction, nor the transaction for it', async () => {
    const database = await scratch.open();
    await addMany(database);
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
    expect(await rowsOf('category_count_changes')).toBe(0);
    open();
    await transaction;
    await expectExact();
  });

  test('by two instances during changes loses nothing, and every read is exact', async () => {
    const instances = await Promise.all([scratch.open(), scratch.open()]);
    let isChanging = true;
    const categories = Array.from({ length: 60 }, (_, index) => index);
    const change = async ({ write }: Database, seed: number) => {
      for (let round = 0; round < 40; round += 1) {
        const added = categories.map((id) =>
          rex({ categoryId: (id * seed) % 60, ...STATUSES[(id + round) % 4] }),
        );
        await Promise.all([0, 1].map((half) => createAll(write, added, half)));
        await write(async ({ pets }) => {
          const [pet] = await pets.list(
            { filters: { categoryId: round }, sort: 'id' },
            undefined,
            1,
          );
          if (pet) await pets.replace({ ...pet, categoryId: 59 - round });
        });
        await scratch.sql`DELETE FROM animal_store.pets WHERE category_id % 7 = ${round % 7}
          AND id % 2 = ${seed % 2}`;
      }
    };
    const merge = async (database: Database) => {
      while (isChanging) await database.compactInventory();
    };
    const check = async (database: Database) => {
      while (isChanging) {
        await expectExact();
        await database.read.pets.inventoriesOf(categories);
      }
    };
    const others = instances.flatMap((instance) => [merge(instance), check(instance)]);
    await Promise.all(instances.map((instance, index) => change(instance, 7 + index))).finally(
      () => {
        isChanging = false;
      },
    );
    await Promise.all(others);
    await expectExact();
    const [first] = instances;
    const counts = await first.read.pets.inventoriesOf(categories);
    const sum = counts.reduce((total, { pending }) => total + pending, 0);
    expect((await first.read.pets.inventory()).pending).toBe(sum);
  }, 60_000);

  test('that runs beside TRUNCATE loses nothing', async () => {
    const database = await scratch.open();
    await addMany(database);
    const { opened, open } = gate();
    const merged = gate();
    const merging = scratch.sql.begin(async (sql) => {
      await sql.unsafe(`WITH moved AS (DELETE FROM animal_store.category_count_changes RETURNING *)
        INSERT INTO animal_store.category_counts SELECT * FROM moved`);
      merged.open();
      await opened;
    });
    await merged.opened;
    await scratch.sql.unsafe(`TRUNCATE animal_store.pets; ${INSERT}`);
    open();
    await merging;
    await expectExact();
  });
});

/** Adds one half of the animals in one transaction. */
const createAll = (
  write: Database['write'],
  animals: readonly ReturnType<typeof rex>[],
  half: number,
) =>
  write(async ({ pets }) => {
    for (const [index, animal] of animals.entries())
      if (index % 2 === half && index % 10 < 4) await pets.create(animal);
  });

test('the counts of categories do not read the animals', async () => {
  const database = await scratch.open();
  await importPets(database, [rex(), rex({ status: 'sold', categoryId: 2 })]);
  await scratch.sql.begin(async (sql) => {
    await sql.unsafe('LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE');
    expect(await database.read.pets.inventoriesOf([2, 1, 3])).toMatchObject([
      { sold: 1, unset: 0 },
      { sold: 0, unset: 1 },
      { sold: 0, unset: 0 },
    ]);
  });
});
