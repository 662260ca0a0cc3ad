/** A page costs what it shows: each combination of filters is read in the order of the page. */
import type { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PetFilters } from '../../../src/pets/pet-filters.ts';
import { migrate } from '../../../src/storage/sqlite/migrate.ts';
import { SqliteOrderStore } from '../../../src/storage/sqlite/order-store.ts';
import { SqlitePetStore } from '../../../src/storage/sqlite/pet-store.ts';
import { openScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
let connection: Sqlite;
beforeAll(() => {
  scratch = openScratch();
  connection = scratch.writing();
  migrate(connection, 'scratch');
});
afterAll(() => scratch.remove());

const TABLE = 'SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)';

describe.each<[PetFilters, string, string]>([
  [{}, 'SCAN pets', TABLE],
  [
    { status: 'sold' },
    'SEARCH pets USING COVERING INDEX pets_by_status (status=?)',
    'SEARCH pets USING COVERING INDEX pets_by_status (status=? AND id>?)',
  ],
  [
    { categoryId: 1 },
    'SEARCH pets USING INDEX pets_by_category (category_id=?)',
    'SEARCH pets USING INDEX pets_by_category (category_id=? AND rowid>?)',
  ],
  [
    { categoryId: 1, status: 'sold' },
    'SEARCH pets USING INDEX pets_by_category_and_status (category_id=? AND status=?)',
    'SEARCH pets USING INDEX pets_by_category_and_status (category_id=? AND status=? AND rowid>?)',
  ],
])('a page of animals with the filters %j', (filters, first, next) => {
  test.each([
    ['at the beginning', undefined, first],
    ['after another', 5, next],
  ])('%s is read in its order, and nothing is sorted', (_where, afterId, plan) => {
    expect(planOf(listing(filters, afterId))).toEqual([plan]);
  });
});

/** A parameter that the planner looks at, and compiles the statement anew for. */
const VISIBLE_PARAMETER = /(?<!\(SELECT )\?/;

test('no list of animals is compiled anew: the planner sees no value', () => {
  const everything: PetFilters = { status: 'sold', categoryId: 1, id: [1, 2] };
  expect(listing(everything, 5)).not.toMatch(VISIBLE_PARAMETER);
});

test('no list of orders is compiled anew', () => {
  const list = (on: Sqlite) => new SqliteOrderStore(on).list({ status: 'placed', petId: 1 }, 5, 21);
  expect(lastPrepared(list)).not.toMatch(VISIBLE_PARAMETER);
});

/** The statement that lists animals. */
const listing = (filters: PetFilters, afterId: number | undefined): string =>
  lastPrepared((on) => new SqlitePetStore(on).list(filters, afterId, 21));

/** The last statement that is prepared while a store is made and asked for a list. */
function lastPrepared(list: (on: Sqlite) => unknown): string {
  const prepared: string[] = [];
  const recording = new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) => {
        prepared.push(sql);
        return target.prepare(sql);
      };
    },
  });
  list(recording);
  return prepared.at(-1) ?? '';
}

/** How the rows are found, without the subqueries that are values. */
function planOf(sql: string): string[] {
  const steps = connection.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => !/^S(?:CALAR|CAN CONSTANT)/.test(detail));
}
