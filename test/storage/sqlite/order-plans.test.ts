/** Each combination of filters of orders is read by indexes in the order of the page, merged without a sort. */
import type { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { type Position, SORTS, type Sort } from '../../../src/http/contract/list-query.ts';
import { type OrderFilters, timeOrderOf } from '../../../src/orders/order-filters.ts';
import { ORDER_STATUSES } from '../../../src/orders/order-states.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { StoredOrders } from '../../../src/storage/stores/order-store.ts';
import { combinationsOf, lastPrepared, planOf, prepared, VISIBLE_PARAMETER } from './query-plan.ts';
import { useMigrated } from './scratch.ts';

const connection = useMigrated();

type Others = 'text' | 'deliveredAfter' | 'deliveredBefore';

/** A value for each filter but those of the last tests. A missing one does not compile. */
const VALUES: Required<Omit<OrderFilters, Others>> = {
  status: ['placed', 'approved', 'delivered'],
  petId: 1,
  reference: 'R-1',
  createdAfter: '2027-01-01T00:00:00.000Z',
  createdBefore: '2027-01-02T00:00:00.000Z',
};
const AFTER: Position = { time: Date.UTC(2027, 0, 1), id: 5 };

const listing = (filters: OrderFilters, sort: Sort, after: Position | undefined): string =>
  lastPrepared(connection, (on) =>
    new StoredOrders(new SqliteSql(on)).list(
      { filters, sort, by: timeOrderOf(filters) },
      after,
      21,
    ),
  );

/** The searches of a plan. Everything else merges their rows. */
function searchesOf(filters: OrderFilters, sort: Sort, after: Position | undefined): string[] {
  const plan = planOf(connection, listing(filters, sort, after));
  const searches = plan.filter((step) => /orders/.test(step));
  const others = plan.filter((step) => !/orders/.test(step));
  for (const step of others)
    expect(step).toMatch(
      /^(MERGE \(UNION ALL\)|LEFT|RIGHT|LIST SUBQUERY|SCAN json_each|CREATE BLOOM)/,
    );
  return searches;
}

const isByTime = ({ createdAfter, createdBefore }: OrderFilters): boolean =>
  (createdAfter ?? createdBefore) !== undefined;

/** The index that must read a page, with the columns that it compares with one value. */
function indexOf(filters: OrderFilters): [index: string, equalities: string] {
  const suffix = isByTime(filters) ? '_and_time' : '';
  if (filters.petId !== undefined) return [`orders_by_pet${suffix}`, 'pet_id=?'];
  if (filters.reference !== undefined)
    return [`orders_by_reference${suffix}`, 'reference=? AND status=?'];
  if (filters.status !== undefined) return [`orders_by_status${suffix}`, 'status=?'];
  return ['orders_by_time', ''];
}

/** The number of parts that are merged for the first page. */
function partsOf({ petId, reference, status }: OrderFilters): number {
  if (petId !== undefined) return 1;
  return (status ?? (reference === undefined ? [''] : ORDER_STATUSES)).length;
}

describe.each(SORTS)('in the order %s', (sort) => {
  test.each(combinationsOf(VALUES))(
    'a page of orders with the filters %j is read by the index that fits, without a sort',
    (filters) => {
      const [index, equalities] = indexOf(filters);
      const parts = partsOf(filters);
      const first = searchesOf(filters, sort, undefined);
      const later = searchesOf(filters, sort, isByTime(filters) ? AFTER : 5);
      expect([first.length, later.length]).toEqual([parts, isByTime(filters) ? 2 * parts : parts]);
      for (const step of [...first, ...later]) {
        expect(step).toStartWith(`SEARCH orders USING INDEX ${index} (${equalities}`);
      }
      // A later page begins at its position. The rows of the same time are a search of their own.
      const bound = sort === 'id' ? '>' : '<';
      for (const step of later) {
        expect(step).toMatch(
          isByTime(filters)
            ? new RegExp(`created_at=\\? AND rowid${bound}\\?\\)$|created_at[<>]\\?`)
            : new RegExp(`rowid${bound}\\?\\)$`),
        );
      }
      if (isByTime(filters)) {
        const ties = later.filter((step) => step.includes('created_at=?'));
        expect(ties).toHaveLength(parts);
      }
    },
  );

  test('a later page by time does not read from the bound at which the list begins', () => {
    const bounds = listing(VALUES, sort, AFTER).match(/created_at (>=|<|>|=)/g);
    const [tie, start, end] = sort === 'id' ? ['=', '>', '<'] : ['=', '<', '>='];
    expect<string[] | null>(bounds).toEqual(
      [tie, start, end].map((comparison) => `created_at ${comparison}`),
    );
  });

  test('a page of orders without filters is read by the primary key', () => {
    expect(searchesOf({}, sort, undefined)).toEqual(['SCAN orders']);
    const bound = sort === 'id' ? '>' : '<';
    expect(searchesOf({}, sort, 5)).toEqual([
      `SEARCH orders USING INTEGER PRIMARY KEY (rowid${bound}?)`,
    ]);
  });
});

describe('a list of orders by the time of delivery', () => {
  const times = { deliveredAfter: VALUES.createdAfter, deliveredBefore: VALUES.createdBefore };

  test.each(SORTS)(
    'is merged from those that were returned and the others, in the order %s',
    (sort) => {
      for (const [filters, parts] of [
        [{}, 2],
        [{ status: ['delivered'] }, 1],
      ] as const)
        for (const [after, searches] of [
          [undefined, parts],
          [AFTER, 2 * parts],
        ] as const) {
          const found = searchesOf(
            { ...times, ...filters } as unknown as OrderFilters,
            sort,
            after,
          );
          expect(found).toHaveLength(searches);
          for (const step of found)
            expect(step).toMatch(
              /^SEARCH orders USING INDEX orders_by_delivery \(status=\? AND delivered_at[<>=]/,
            );
        }
    },
  );

  test('reads the orders of one animal or reference only', () => {
    for (const [filter, index] of [
      [{ petId: 1 }, 'orders_by_pet'],
      [{ reference: 'R-1' }, 'orders_by_reference'],
    ] as const) {
      const plan = planOf(connection, listing({ ...times, ...filter }, 'id', undefined));
      const searches = plan.filter((step) => /orders/.test(step));
      for (const step of searches) expect(step).toStartWith(`SEARCH orders USING INDEX ${index} (`);
    }
  });
});

test('a list of orders by expiry reads the placed orders in their order', () => {
  const list = (after: Position | undefined) =>
    lastPrepared(connection, (on) =>
      new StoredOrders(new SqliteSql(on)).list(
        { filters: {}, sort: 'id', by: 'expiresAt' },
        after,
        21,
      ),
    );
  for (const after of [undefined, AFTER]) {
    const plan = planOf(connection, list(after));
    expect(plan.join('\n')).not.toContain('TEMP B-TREE');
    for (const step of plan.filter((one) => /orders/.test(one)))
      expect(step).toMatch(/^(SEARCH|SCAN) orders USING INDEX orders_by_expiry/);
  }
});

test('a list of orders hides its values from the planner', () => {
  for (const filters of combinationsOf(VALUES)) {
    for (const after of [undefined, AFTER])
      expect(listing(filters, '-id', after)).not.toMatch(VISIBLE_PARAMETER);
  }
});

test.each([
  ['finding', (on: Sqlite) => new StoredOrders(new SqliteSql(on)).isExpiryDue(5)],
  ['expiring', (on: Sqlite) => new StoredOrders(new SqliteSql(on)).expire(8_640_000_000_000_000)],
])('%s the orders that are due reads no order that is not due', (_what, work) => {
  connection.run('BEGIN');
  connection.run(
    "INSERT INTO orders (pet_id, status, created_at, expires_at) VALUES (1, 'placed', 0, 9)",
  );
  const due = prepared(connection, work).filter((sql) => sql.includes('expires_at <='));
  connection.run('ROLLBACK');
  expect(due).not.toBeEmpty();
  for (const sql of due) {
    expect(planOf(connection, sql).join('\n')).toMatch(
      /SEARCH orders USING (COVERING )?INDEX orders_by_expiry \(expires_at<\?\)/,
    );
  }
});

test.each([
  ['finding', (on: Sqlite) => new StoredOrders(new SqliteSql(on)).hasEndedBefore(5)],
  ['deleting', (on: Sqlite) => new StoredOrders(new SqliteSql(on)).deleteEndedBefore(5, 5)],
])('%s the orders that ended long ago reads no others', (_what, work) => {
  const ended = prepared(connection, work).filter((sql) => sql.includes('ended_at <'));
  expect(ended).not.toBeEmpty();
  for (const sql of ended) {
    const plan = planOf(connection, sql).join('\n');
    expect(plan).toMatch(
      /SEARCH (orders|ended) USING (COVERING )?INDEX orders_by_end \(ended_at<\?\)/,
    );
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
  }
});
