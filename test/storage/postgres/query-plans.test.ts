/** A page reads few buffers, for any distribution of rows. */
import { beforeAll, describe, expect, test } from 'bun:test';
import postgres from 'postgres';
import { SORTS, type Sort } from '../../../src/http/contract/list-query.ts';
import type { PetFilters } from '../../../src/pets/pet-filters.ts';
import { PostgresSql } from '../../../src/storage/postgres/statements/postgres-sql.ts';
import { BatchedPetReader } from '../../../src/storage/postgres/stores/batched-pet-reader.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';
import { StoredCategories } from '../../../src/storage/stores/category-store.ts';
import { StoredPets } from '../../../src/storage/stores/pet-store.ts';
import { useShared } from '../../support/use-each.ts';
import { buffersOf, plansOf } from './query-plan.ts';
import { openMigratedScratch } from './scratch.ts';

/** So many that a plan that reads a fifth of them reads too many buffers, and the planner chooses as it does among millions. */
const ANIMALS = 20_000;

const scratch = useShared(openMigratedScratch);

/** For 21 rows, each in another buffer, and the index pages. */
const MAX_BUFFERS = 40;

/** The start of a first page, and an id near it. */
const startsIn = (sort: Sort): [undefined, number] => [undefined, sort === 'id' ? 5 : ANIMALS - 4];

const AVAILABLE_OF_1: PetFilters = { categoryId: 1, status: 'available' };
const OF_BOTH: PetFilters[] = [
  AVAILABLE_OF_1,
  { categoryId: 2, status: 'sold' },
  { categoryId: 1 },
];

/** Those without an order are as bad for the ascending one as for the descending one. */
const DISTRIBUTIONS: readonly [string, string, PetFilters[], Sort[]?][] = [
  [
    'the middle tenth of which is available',
    `g % 2, CASE WHEN g BETWEEN 9001 AND 11000 THEN 'available' ELSE 'sold' END`,
    [{}, { status: 'available' }, { categoryId: 1 }, AVAILABLE_OF_1],
  ],
  [
    'of one category, few of which have a status',
    `1, CASE WHEN g % 2000 = 0 THEN 'sold' END`,
    [{ status: 'sold' }, { categoryId: 1, status: 'sold' }, AVAILABLE_OF_1],
  ],
  [
    'of many categories, nearly all sold',
    `g % 100, CASE WHEN g % 71 = 0 THEN 'available' ELSE 'sold' END`,
    [{ categoryId: 2, status: 'available' }, { categoryId: 99, status: 'sold' }, { categoryId: 3 }],
  ],
  [
    'the first available ones of which have another category',
    `CASE WHEN g % 10 = 0 OR g < 8000 THEN 2 ELSE 1 END,
     CASE WHEN g > 16000 OR g < 8000 THEN 'available' ELSE 'sold' END`,
    OF_BOTH,
    ['id'],
  ],
  [
    'the last available ones of which have another category',
    `CASE WHEN g % 10 = 0 OR g > 12000 THEN 2 ELSE 1 END,
     CASE WHEN g < 4000 OR g > 12000 THEN 'available' ELSE 'sold' END`,
    OF_BOTH,
    ['-id'],
  ],
];

/** Replaces the animals by those with these values of category and status. */
async function fill(values: string): Promise<void> {
  await scratch.sql.unsafe('TRUNCATE animal_store.pets');
  await scratch.sql.unsafe(`INSERT INTO animal_store.pets (id, name, category_id, status)
    SELECT g, 'Rex', ${values} FROM generate_series(1, ${ANIMALS}) AS g`);
  await scratch.sql.unsafe('VACUUM ANALYZE animal_store.pets');
}

describe.each(DISTRIBUTIONS)('of animals %s', (_which, values, lists, sorts = [...SORTS]) => {
  beforeAll(() => fill(values));

  describe.each(sorts)('in the order %s', (sort) => {
    test.each(lists)('a page with the filters %j reads few buffers', async (filters) => {
      for (const start of startsIn(sort)) {
        const list = (run: Run) =>
          new StoredPets(new PostgresSql(run)).list({ filters, sort }, start, 21);
        for (const plan of await plansOf(scratch.sql, list))
          expect(buffersOf(plan)).toBeWithin(1, MAX_BUFFERS);
      }
    });
  });
});

/** A page of a category is merged from one part for each status. The part without a status is read as far as a page, and sorted. */
const MERGED_ROWS = 2 * 21 + 4;

describe('of animals with each status and without one', () => {
  beforeAll(() =>
    fill(`CASE WHEN g = 11555 THEN 7 WHEN g BETWEEN 9001 AND 11000 THEN 8 ELSE g % 5 END,
      CASE g / 5 % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END`),
  );

  const CATEGORIES = Object.entries({ frequent: 3, rare: 7, late: 8, empty: 99 });

  describe.each(SORTS)('a page in the order %s', (sort) => {
    test.each(CATEGORIES)(
      'of a %s category reads little more than its rows, by one index',
      async (_which, id) => {
        const query = { filters: { categoryId: id }, sort };
        for (const start of startsIn(sort)) {
          const list = (run: Run) => new StoredPets(new PostgresSql(run)).list(query, start, 21);
          for (const plan of await plansOf(scratch.sql, list)) {
            const scans = [...plan.matchAll(/(\S+ Scan.*) on pets.*actual rows=(\d+)/g)];
            const rows = scans.reduce((sum, [, , count]) => sum + Number(count), 0);
            expect(scans.map(([, scan = '']) => scan.replace(' Backward', ''))).toEqual(
              Array(4).fill('Index Scan using pets_by_category_and_status'),
            );
            expect(rows).toBeWithin(0, MERGED_ROWS + 1);
            expect(plan).not.toContain('Rows Removed');
          }
        }
      },
    );
  });
});

// A new plan takes several times as long as the execution.
test.each<[string, PetFilters, number]>([
  ['a page of a status', { status: 'sold' }, 1],
  ['a page of a category', { categoryId: 3 }, 1],
  ['a page of both', { categoryId: 3, status: 'sold' }, 1],
  ['two pages of a status', { status: 'sold' }, 2],
  ['eight pages of a category', { categoryId: 3 }, 8],
])('the server keeps its plan of %s', async (_what, filters, pages) => {
  // The planner sees millions of animals.
  await scratch.sql`UPDATE pg_class SET reltuples = 5e6 WHERE oid = 'animal_store.pets'::regclass`;
  const connection = postgres(scratch.url, { max: 1 });
  const reader = new BatchedPetReader(
    new PostgresSql(
      (text, values = []) => connection.unsafe(text, values as never[], { prepare: true }) as never,
    ),
  );
  for (let time = 0; time < 10; time += 1) {
    const query = { filters, sort: 'id' } as const;
    const starts = Array.from({ length: pages }, (_, page) => page * 1_000 + time);
    await Promise.all(starts.map((start) => reader.list(query, start, 21)));
  }
  const plans = await connection<
    { kept: number; own: boolean }[]
  >`SELECT generic_plans::int AS kept,
      statement LIKE '%pg_prepared%' AS own
    FROM pg_prepared_statements WHERE statement LIKE '%FROM animal_store.pets%'`;
  await connection.end();
  const [statement, ...others] = plans.filter(({ own }) => !own);
  expect(others).toEqual([]);
  expect(statement?.kept).toBeGreaterThan(0);
});

/** The animals at both ends have another name than those between them. One has a name of its own. */
const NAME = `CASE WHEN g = 14000 THEN 'zebulon' WHEN g BETWEEN 5000 AND 15000 THEN 'mira ' || g % 7 ELSE 'kate ' || g % 7 END`;

describe.each([false, true])('with statistics: %p,', (isAnalyzed) => {
  beforeAll(async () => {
    await scratch.sql.unsafe(`
      DELETE FROM pg_statistic WHERE starelid = 'animal_store.pets'::regclass;
      TRUNCATE animal_store.pets;
      INSERT INTO animal_store.pets (id, name, category_id, status, folded_name)
        SELECT g, ${NAME}, g % 10, CASE WHEN g % 2 = 0 THEN 'sold' END, ${NAME}
        FROM generate_series(1, ${ANIMALS}) AS g`);
    await scratch.sql.unsafe(`VACUUM ${isAnalyzed ? 'ANALYZE' : ''} animal_store.pets`);
  });

  describe.each(SORTS)('in the order %s', (sort) => {
    const plansOfSearch = (filters: PetFilters) =>
      plansOf(scratch.sql, (run) =>
        new StoredPets(new PostgresSql(run)).list({ filters, sort }, undefined, 21),
      );

    test('a search of all animals reads little, if many names match', async () => {
      // Until PostgreSQL 16, each of the 21 ids is looked up alone.
      for (const plan of await plansOfSearch({ name: 'kate' }))
        expect(buffersOf(plan)).toBeWithin(1, 100);
    });

    // The rows of a category are in nearly each of the 170 pages of the table.
    test.each(['kate', 'zebulon'])(
      'a search of a category for %s reads at most the category, twice',
      async (name) => {
        for (const others of [{ categoryId: 0 }, { categoryId: 0, status: 'sold' }] as const) {
          for (const plan of await plansOfSearch({ name, ...others }))
            expect(buffersOf(plan)).toBeWithin(1, 360);
        }
      },
    );
  });
});

describe('of categories', () => {
  beforeAll(async () => {
    await scratch.sql.unsafe(`
      INSERT INTO animal_store.categories SELECT g - 10000, 'Dogs' FROM generate_series(1, ${ANIMALS}) AS g;
      ANALYZE animal_store.categories`);
  });

  test.each(SORTS)('a page in the order %s reads few buffers', async (sort) => {
    for (const start of [undefined, 5]) {
      const query = { filters: {}, sort };
      const list = (run: Run) => new StoredCategories(new PostgresSql(run)).list(query, start, 21);
      for (const plan of await plansOf(scratch.sql, list))
        expect(buffersOf(plan)).toBeWithin(1, MAX_BUFFERS);
    }
  });
});
