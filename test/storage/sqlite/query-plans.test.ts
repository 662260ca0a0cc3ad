/** Each combination of filters is read by an index in the order of the page, forwards or backwards. */
import { describe, expect, test } from 'bun:test';
import { SORTS, type Sort } from '../../../src/http/contract/list-query.ts';
import type { PetFilters } from '../../../src/pets/pet-filters.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { StoredCategories } from '../../../src/storage/stores/category-store.ts';
import { StoredPets } from '../../../src/storage/stores/pet-store.ts';
import { combinationsOf, lastPrepared, planOf, VISIBLE_PARAMETER } from './query-plan.ts';
import { useMigrated } from './scratch.ts';

const connection = useMigrated();

const TABLE = 'SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)';

describe.each<[PetFilters, string, string]>([
  [{}, 'SCAN pets', TABLE],
  [
    { status: 'sold' },
    'SEARCH pets USING COVERING INDEX pets_by_status (status=?)',
    'SEARCH pets USING COVERING INDEX pets_by_status (status=? AND id>?)',
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
      expect(planOf(connection, listing(filters, sort, afterId))).toEqual([plan]);
    },
  );
});

test.each(SORTS)(
  'a page of the animals of a category in the order %s is merged from each status, without a sort',
  (sort) => {
    const comparison = sort === 'id' ? '>' : '<';
    for (const [afterId, start] of [
      [undefined, ''],
      [5, ` AND rowid${comparison}?`],
    ] as const) {
      const plan = planOf(connection, listing({ categoryId: 1 }, sort, afterId));
      const merge = /^(?:CO-ROUTINE .+|MERGE \(UNION ALL\)|LEFT|RIGHT|SCAN \(subquery-\d+\))$/;
      const index = 'pets USING COVERING INDEX pets_by_category_and_status';
      expect(plan.filter((step) => !merge.test(step))).toEqual([
        ...Array(4).fill(`SEARCH ${index} (category_id=? AND status=?${start})`),
        'SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)',
      ]);
    }
  },
);

/** A value for each filter that compares. A missing one does not compile. */
const PET_VALUES: Required<Omit<PetFilters, 'name'>> = {
  status: 'sold',
  categoryId: 1,
  id: [1, 2],
};

describe.each(SORTS)('in the order %s', (sort) => {
  test.each(combinationsOf(PET_VALUES))(
    'a page of animals with the filters %j uses an index, without a sort',
    (filters) => {
      for (const afterId of [undefined, 5]) expectIndex(listing(filters, sort, afterId));
    },
  );

  test('a page of categories is read by the primary key, without a sort', () => {
    const sql = lastPrepared(connection, (on) =>
      new StoredCategories(new SqliteSql(on)).list({ filters: {}, sort }, 5, 21),
    );
    const comparison = sort === 'id' ? '>' : '<';
    expect(planOf(connection, sql)).toEqual([
      `SEARCH categories USING INTEGER PRIMARY KEY (rowid${comparison}?)`,
    ]);
  });
});

function expectIndex(sql: string): void {
  const plan = planOf(connection, sql).join('\n');
  expect(plan).toMatch(/SEARCH pets/);
  expect(plan).not.toMatch(/SCAN pets|TEMP B-TREE/);
}

test('a list of animals hides its values from the planner', () => {
  expect(listing(PET_VALUES, '-id', 5)).not.toMatch(VISIBLE_PARAMETER);
});

/** The statement that lists animals. */
function listing(filters: PetFilters, sort: Sort, afterId: number | undefined): string {
  return lastPrepared(connection, (on) =>
    new StoredPets(new SqliteSql(on)).list({ filters, sort }, afterId, 21),
  );
}
