import type { Category } from '../../categories/category.ts';
import type { CategoryFilters } from '../../categories/category-filters.ts';
import type { CategoryStore } from '../../categories/category-store.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { runSteps, type Steps, wait } from '../../steps.ts';
import { type Sql, Statement } from '../sql.ts';
import { CATEGORIES } from '../tables.ts';
import { resourceStatements, StoredResources } from './resource-store.ts';

const STATEMENTS = resourceStatements<Category>(CATEGORIES, 'category');

/**
 * The lock does not block other readers, but prevents the deletion of the records. In the order of the ids, so that two transactions
 * never wait for each other.
 */
const KNOWN_AMONG = new Statement<{ id: Int64 }>(
  ({ table, among, lock }) => `SELECT id FROM ${table('categories')}
    WHERE ${among('id', '$1')} ORDER BY id ${lock('FOR KEY SHARE')}`,
  ['id'],
);
const STORED_AMONG = new Statement<Category>(
  ({ table, among, lock }) => `SELECT id, name FROM ${table('categories')}
    WHERE ${among('id', '$1')} ORDER BY id ${lock('FOR UPDATE')}`,
  ['id'],
);
const PUT = new Statement(({ table, each }) => {
  const { from, value } = each({ put_id: 'bigint', put_name: 'text' });
  // SQLite takes ON after a SELECT without WHERE for a join.
  return `INSERT INTO ${table('categories')} (id, name) SELECT ${value('put_id')}, ${value('put_name')} ${from}
    WHERE true ON CONFLICT (id) DO UPDATE SET name = excluded.name`;
});
const IN_USE = new Statement(
  ({ table }) => `SELECT 1 AS found FROM ${table('pets')} WHERE category_id = $1 LIMIT 1`,
);

const BATCH_SIZE = 1_000;

export class StoredCategories
  extends StoredResources<Category, Category, CategoryFilters>
  implements CategoryStore
{
  constructor(sql: Sql) {
    super(STATEMENTS, sql);
  }

  isKnown(id: Int64): MaybePromise<boolean> {
    return chain(this.knownAmong([id]), ({ size }) => size > 0);
  }

  knownAmong(ids: readonly Int64[]): MaybePromise<ReadonlySet<Int64>> {
    return chain(
      this.sql.read(KNOWN_AMONG, this.sql.listOf(ids)),
      (rows) => new Set(rows.map(({ id }) => id)),
    );
  }

  putAll(categories: readonly Category[]): MaybePromise<void> {
    return runSteps(this.#putAll(categories));
  }

  /** Records one event for all. In the order of the ids, so that two transactions never wait for each other. */
  *#putAll(categories: readonly Category[]): Steps<void> {
    const names = new Map(categories.map(({ id, name }) => [id, name]));
    const rows = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
    const changed: Int64[] = [];
    for (let start = 0; start < rows.length; start += BATCH_SIZE) {
      const batch = rows.slice(start, start + BATCH_SIZE);
      const ids = this.sql.listOf(batch.map(([id]) => id));
      const stored = yield* wait(this.sql.read(STORED_AMONG, ids));
      const before = new Map(stored.map(({ id, name }) => [id, name]));
      const put = batch.filter(([id, name]) => before.get(id) !== name);
      if (put.length === 0) continue;
      yield* wait(this.sql.changeEach(PUT, put));
      for (const [id, name] of put) this.remember(id, { id, name });
      changed.push(...put.map(([id]) => id));
    }
    const range = { count: changed.length, firstId: changed[0] ?? 0, lastId: changed.at(-1) ?? 0 };
    this.sql.recording?.addImport('categories', range);
  }

  isInUse(id: Int64): MaybePromise<boolean> {
    return chain(this.sql.find(IN_USE, id), (row) => row !== undefined);
  }
}
