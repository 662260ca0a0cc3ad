/** Each combination of filters is read by an index in the order of the page, forwards or backwards. */
import type { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SORTS, type Sort } from '../../../src/http/contract/list-query.ts';
import type { OrderFilters } from '../../../src/orders/order-filters.ts';
import type { PetFilters } from '../../../src/pets/pet-filters.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { SqliteCategoryStore } from '../../../src/storage/sqlite/stores/category-store.ts';
import { SqliteOrderStore } from '../../../src/storage/sqlite/stores/order-store.ts';
import { SqlitePetStore } from '../../../src/storage/sqlite/stores/pet-store.ts';
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
    ['the first one', 'id', undefined, first],
    ['a later one', 'id', 5, next],
    ['the first one', '-id', undefined, first],
    ['a later one', '-id', 5, next.replace('id>?', 'id<?')],
  ] as const)(
    '%s in the order %s is read in order, without a sort',
    (_which, sort, afterId, plan) => {
      expect(planOf(listing(filters, sort, afterId))).toEqual([plan]);
    },
  );
});

/** A value for each filter that compares. A missing one does not compile. */
const PET_VALUES: Required<Omit<PetFilters, 'name'>> = {
  status: 'sold',
  categoryId: 1,
  id: [1, 2],
};
const ORDER_VALUES: Required<OrderFilters> = { status: 'placed', petId: 1 };

/** All combinations of some of the values, at least one. */
function combinationsOf(values: object): object[] {
  const found: object[] = [{}];
  for (const [name, value] of Object.entries(values))
    found.push(...found.map((others) => ({ ...others, [name]: value })));
  return found.slice(1);
}

describe.each(SORTS)('in the order %s', (sort) => {
  test.each(combinationsOf(PET_VALUES))(
    'a page of animals with the filters %j uses an index, without a sort',
    (filters) => {
      for (const afterId of [undefined, 5]) expectIndex(listing(filters, sort, afterId));
    },
  );

  test.each(combinationsOf(ORDER_VALUES))(
    'a page of orders with the filters %j uses an index, without a sort',
    (filters) => {
      for (const afterId of [undefined, 5]) expectIndex(listingOrders(filters, sort, afterId));
    },
  );

  test('a page of categories is read by the primary key, without a sort', () => {
    const sql = lastPrepared((on) =>
      new SqliteCategoryStore(on).list({ filters: {}, sort }, 5, 21),
    );
    const comparison = sort === 'id' ? '>' : '<';
    expect(planOf(sql)).toEqual([
      `SEARCH categories USING INTEGER PRIMARY KEY (rowid${comparison}?)`,
    ]);
  });
});

function expectIndex(sql: string): void {
  const plan = planOf(sql).join('\n');
  expect(plan).toMatch(/SEARCH (pets|orders)/);
  expect(plan).not.toMatch(/SCAN (pets|orders)|TEMP B-TREE/);
}

/** A parameter whose value the planner uses, so that the statement is prepared again for each value. */
const VISIBLE_PARAMETER = /(?<!\(SELECT )\?/;

test('a list of animals hides its values from the planner', () => {
  expect(listing(PET_VALUES, '-id', 5)).not.toMatch(VISIBLE_PARAMETER);
});

test('a list of orders hides its values from the planner', () => {
  expect(listingOrders(ORDER_VALUES, '-id', 5)).not.toMatch(VISIBLE_PARAMETER);
});

test.each([
  ['finding', (on: Sqlite) => new SqliteOrderStore(on).isExpiryDue(5)],
  ['expiring', (on: Sqlite) => new SqliteOrderStore(on).expire(Number.MAX_SAFE_INTEGER)],
])('%s the orders that are due reads no order that is not due', (_what, work) => {
  connection.run('BEGIN');
  connection.run("INSERT INTO orders VALUES (1, 1, 'placed', 0, 9)");
  const due = prepared(work).filter((sql) => sql.includes('expires_at <='));
  connection.run('ROLLBACK');
  expect(due).not.toBeEmpty();
  for (const sql of due) {
    expect(planOf(sql).join('\n')).toMatch(
      /SEARCH orders USING (COVERING )?INDEX orders_by_expiry \(expires_at<\?\)/,
    );
  }
});

/** The statement that lists animals. */
function listing(filters: PetFilters, sort: Sort, afterId: number | undefined): string {
  return lastPrepared((on) => new SqlitePetStore(on).list({ filters, sort }, afterId, 21));
}

/** The statement that lists orders. */
function listingOrders(filters: OrderFilters, sort: Sort, afterId: number | undefined): string {
  return lastPrepared((on) => new SqliteOrderStore(on).list({ filters, sort }, afterId, 21));
}

/** The last statement prepared by a new store that reads a list. */
const lastPrepared = (list: (on: Sqlite) => unknown): string => prepared(list).at(-1) ?? '';

/** The statements that `work` prepares. */
function prepared(work: (on: Sqlite) => unknown): string[] {
  const statements: string[] = [];
  const recording = new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare' && name !== 'query') return Reflect.get(target, name);
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  work(recording);
  return statements;
}

/** The query plan, without the subqueries for parameters. */
function planOf(sql: string): string[] {
  const steps = connection.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => !/^S(?:CALAR|CAN CONSTANT)/.test(detail));
}
