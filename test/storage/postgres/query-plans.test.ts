/** A page costs what it shows, also when all animals with what it asks for were added last. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Value } from '../../../src/storage/postgres/connection.ts';
import { PostgresOrderStore } from '../../../src/storage/postgres/order-store.ts';
import { PostgresPetStore } from '../../../src/storage/postgres/pet-store.ts';
import type { Run } from '../../../src/storage/postgres/transactions.ts';
import { openScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await openScratch();
  await (await scratch.open()).close();
  await scratch.sql.unsafe(`
    INSERT INTO animal_store.pets (name, category_id, status)
      SELECT 'Rex', g / 40000, CASE WHEN g > 40000 THEN 'available' ELSE 'sold' END
      FROM generate_series(1, 50000) AS g;
    INSERT INTO animal_store.orders (pet_id, status, created_at)
      SELECT g, CASE WHEN g > 40000 THEN 'placed' ELSE 'delivered' END, 0
      FROM generate_series(1, 50000) AS g;
    ANALYZE animal_store.pets, animal_store.orders`);
});
afterAll(() => scratch.remove());

/** How the server carries out what `work` runs. */
async function planOf(work: (run: Run) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const explain: Run = async (text: string, values: readonly Value[] = []) => {
    const rows = await scratch.sql.unsafe(`EXPLAIN ANALYZE ${text}`, values as never[]);
    lines.push(...rows.map((row) => row['QUERY PLAN']));
    return [] as never;
  };
  await work(explain);
  return lines.join('\n');
}

const pets = (run: Run) => new PostgresPetStore(run, '');
const orders = (run: Run) => new PostgresOrderStore(run, '');

test.each<[string, string, (run: Run) => Promise<unknown>]>([
  ['all animals', 'pets_pkey', (run) => pets(run).list({}, 5, 21)],
  [
    'animals of a status',
    'pets_by_status',
    (run) => pets(run).list({ status: 'available' }, 5, 21),
  ],
  ['animals of a category', 'pets_by_category', (run) => pets(run).list({ categoryId: 1 }, 5, 21)],
  [
    'animals of a category and a status',
    'pets_by_category_and_status',
    (run) => pets(run).list({ categoryId: 1, status: 'available' }, 5, 21),
  ],
  ['all orders', 'orders_pkey', (run) => orders(run).list({}, 5, 21)],
  [
    'orders of a status',
    'orders_by_status',
    (run) => orders(run).list({ status: 'placed' }, 5, 21),
  ],
  ['orders of an animal', 'orders_by_pet', (run) => orders(run).list({ petId: 45_000 }, 5, 21)],
])('a page of %s is read from %s alone', async (_what, index, work) => {
  const plan = await planOf(work);
  expect(plan).toMatch(new RegExp(`Index (Only )?Scan using ${index} on`));
  expect(plan).not.toContain('Filter');
});

test('of an animal with a status, only the orders of the animal are looked at', async () => {
  const plan = await planOf((run) =>
    orders(run).list({ petId: 30_000, status: 'delivered' }, 5, 21),
  );
  expect(plan).toContain('Index Scan using orders_by_pet on');
  expect(plan).not.toContain('Rows Removed');
});
