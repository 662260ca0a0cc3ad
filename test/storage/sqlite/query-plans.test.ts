import type { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { migrate } from '../../../src/storage/sqlite/migrate.ts';
import { openScratch, type Scratch } from './scratch.ts';

/** A page costs what it shows: each combination of filters is read in the order of the page. */
let scratch: Scratch;
let connection: Sqlite;
beforeAll(() => {
  scratch = openScratch();
  connection = scratch.writing();
  migrate(connection, 'scratch');
});
afterAll(() => scratch.remove());

test.each([
  ['status = 1', 'pets_by_status (status=?'],
  ['category_id = 1', 'pets_by_category (category_id=?'],
  ['category_id = 1 AND status = 1', 'pets_by_category_and_status (category_id=? AND status=?'],
])('a page of animals with %s is read from %s, and nothing is sorted', (filter, index) => {
  for (const after of ['', ' AND id > 5']) {
    const plan = connection
      .query<{ detail: string }, []>(
        `EXPLAIN QUERY PLAN SELECT name FROM pets WHERE ${filter}${after} ORDER BY id LIMIT 21`,
      )
      .all();
    expect(plan).toHaveLength(1);
    expect(plan[0]?.detail).toContain(`USING INDEX ${index}`);
  }
});
