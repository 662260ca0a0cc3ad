/** A page costs what it shows, however the animals and orders that it shows lie among the others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PetFilters } from '../../../src/pets/pet-filters.ts';
import type { Value } from '../../../src/storage/postgres/connections/connection.ts';
import { PostgresOrderStore } from '../../../src/storage/postgres/stores/order-store.ts';
import { PostgresPetStore } from '../../../src/storage/postgres/stores/pet-store.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';
import { openScratch, type Scratch } from './scratch.ts';

const ANIMALS = 100_000;

let scratch: Scratch;
beforeAll(async () => {
  scratch = await openScratch();
  await (await scratch.open()).close();
});
afterAll(() => scratch.remove());

/** What the server does to answer what `work` asks, and how many pages of its memory it looks at. */
async function planOf(work: (run: Run) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const explain: Run = async (text: string, values: readonly Value[] = []) => {
    const statement = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${text}`;
    const rows = await scratch.sql.unsafe(statement, values as never[]);
    lines.push(...rows.map((row) => row['QUERY PLAN']));
    return [] as never;
  };
  await work(explain);
  return lines.join('\n');
}

/** The first line of buffers is that of the whole plan. */
const buffersOf = (plan: string): number => {
  const [, buffers = ''] = /Buffers: shared(.*)/.exec(plan) ?? [];
  return [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};

/** A page of 21 rows, each of which may lie elsewhere, and the way to them in the index. */
const BUFFERS_OF_A_PAGE = 40;

describe.each<[string, string, PetFilters[]]>([
  [
    'of which the last tenth is available',
    `g % 2, CASE WHEN g > 90000 THEN 'available' ELSE 'sold' END`,
    [{}, { status: 'available' }, { categoryId: 1 }, { categoryId: 1, status: 'available' }],
  ],
  [
    'of one category, few of which have a status',
    `1, CASE WHEN g % 10000 = 0 THEN 'sold' END`,
    [{ status: 'sold' }, { categoryId: 1, status: 'sold' }, { categoryId: 1, status: 'available' }],
  ],
  [
    'of many categories, nearly all sold',
    `g % 100, CASE WHEN g % 71 = 0 THEN 'available' ELSE 'sold' END`,
    [{ categoryId: 2, status: 'available' }, { categoryId: 99, status: 'sold' }, { categoryId: 3 }],
  ],
  [
    'of which another category has what is available first',
    `CASE WHEN g % 10 = 0 OR g < 40000 THEN 2 ELSE 1 END,
     CASE WHEN g > 80000 OR g < 40000 THEN 'available' ELSE 'sold' END`,
    [{ categoryId: 1, status: 'available' }, { categoryId: 2, status: 'sold' }, { categoryId: 1 }],
  ],
])('of animals %s', (_which, values, lists) => {
  beforeAll(async () => {
    await scratch.sql.unsafe(`TRUNCATE animal_store.pets`);
    await scratch.sql.unsafe(`INSERT INTO animal_store.pets (id, name, category_id, status)
      SELECT g, 'Rex', ${values} FROM generate_series(1, ${ANIMALS}) AS g`);
    await scratch.sql.unsafe('VACUUM ANALYZE animal_store.pets');
  });

  test.each(lists)('a page with the filters %j looks at little else', async (filters) => {
    const plan = await planOf((run) => new PostgresPetStore(run, '').list(filters, 5, 21));
    expect(buffersOf(plan)).toBeWithin(1, BUFFERS_OF_A_PAGE);
  });
});

describe('of orders, of which the last tenth is placed', () => {
  beforeAll(async () => {
    await scratch.sql.unsafe(`
      INSERT INTO animal_store.orders (pet_id, status, created_at)
        SELECT g, CASE WHEN g > 90000 THEN 'placed' ELSE 'delivered' END, 0
        FROM generate_series(1, 100000) AS g;
      ANALYZE animal_store.orders`);
  });

  test.each([
    {},
    { status: 'placed' },
    { petId: 95_000 },
    { petId: 95_000, status: 'placed' },
    { petId: 30_000, status: 'delivered' },
  ] as const)('a page with the filters %j looks at little else', async (filters) => {
    const plan = await planOf((run) => new PostgresOrderStore(run, '').list(filters, 5, 21));
    expect(buffersOf(plan)).toBeWithin(1, BUFFERS_OF_A_PAGE);
  });
});
