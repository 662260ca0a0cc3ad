/** Simultaneous reads of animals and pages share statements. That each page is the right one is tested for all lists. */
import { expect, test } from 'bun:test';
import type { Pet } from '../../../src/pets/pet.ts';
import type { Database } from '../../../src/storage/database.ts';
import { PostgresSql } from '../../../src/storage/postgres/statements/postgres-sql.ts';
import { BatchedPetReader } from '../../../src/storage/postgres/stores/batched-pet-reader.ts';
import { int64 } from '../../support/arbitraries.ts';
import { importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending, EVERY } from '../../support/list-query.ts';
import { rex } from '../animals.ts';
import { failureOf, useScratch } from './scratch.ts';

const scratch = useScratch();

test('simultaneous reads return their own animals, also for equal and unknown ids', async () => {
  const database = await scratch.open();
  const added: Pet[] = [];
  // The next ids are equal as rounded numbers.
  await importPets(database, [{ ...rex(), id: int64(2n ** 63n - 5n) }]);
  for (const name of ['Rex', 'Mia', 'Leo']) {
    added.push(await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name }))));
  }
  const [first, second, third] = added;
  const ids = [second, third, second, first].map((pet) => (pet as Pet).id);
  const found = await Promise.all(
    [...ids, 9_999].map(async (id) => (await database.read.pets.get(id)) ?? 'none'),
  );
  expect<unknown[]>(found).toEqual([second, third, second, first, 'none']);
});

test.each<[string, number, (database: Database) => unknown]>([
  ['animals', 10, ({ read }) => read.pets.get(1)],
  ['pages', 150, ({ read }) => read.pets.list(EVERY, undefined, 10)],
])(
  '1,000 simultaneous reads of equal %s take less than %d statements',
  async (_what, limit, read) => {
    const database = await scratch.open();
    await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const one = await read(database);
    const scans = async () => {
      await scratch.sql`SELECT pg_stat_clear_snapshot()`;
      const [row] = await scratch.sql<{ scans: number }[]>`
      SELECT (seq_scan + idx_scan)::int AS scans FROM pg_stat_user_tables
      WHERE schemaname = 'animal_store' AND relname = 'pets'`;
      return row?.scans ?? 0;
    };
    const before = await scans();
    const found = await Promise.all(Array.from({ length: 1000 }, async () => read(database)));
    expect(found).toEqual(Array.from({ length: 1000 }, () => one));
    await database.close();
    expect((await scans()) - before).toBeLessThan(limit);
  },
);

test('pages of one list are read in statements of eight pages, so that several are in flight', async () => {
  const statements: string[] = [];
  const reader = new BatchedPetReader(
    new PostgresSql(async (_text, values = []) => {
      statements.push(values.join(' '));
      return [] as never;
    }),
  );
  const pages = Array.from({ length: 20 }, (_, index) =>
    reader.list(ascending({ status: 'sold' }), index, 21),
  );
  expect(await Promise.all(pages)).toEqual(pages.map(() => []));
  expect(statements).toEqual([
    '{0,1,2,3,4,5,6,7} sold 21',
    '{8,9,10,11,12,13,14,15} sold 21',
    '{16,17,18,19} sold 21',
  ]);
});

test('all simultaneous reads fail if their statement fails', async () => {
  const database = await scratch.open({ timeoutMs: 2_000 });
  await scratch.sql`ALTER TABLE animal_store.pets RENAME TO hidden`;
  const reading = Array.from({ length: 5 }, async () => database.read.pets.get(1));
  const results = await Promise.allSettled(reading);
  expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  await scratch.sql`ALTER TABLE animal_store.hidden RENAME TO pets`;
  const release = await scratch.hold('LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE');
  const waiting = Array.from({ length: 5 }, () =>
    failureOf((async () => database.read.pets.get(1))()),
  );
  for (const failure of await Promise.all(waiting)) {
    expect(failure).toMatchObject({ failure: 'unavailable' });
  }
  await release();
  expect(await database.read.pets.get(1)).toBeUndefined();
});
