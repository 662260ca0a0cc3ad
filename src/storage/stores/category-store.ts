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
const IN_USE = new Statement(
  ({ table }) => `SELECT 1 AS found FROM ${table('pets')} WHERE category_id = $1 LIMIT 1`,
);

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

  /** Records one event for all. */
  *#putAll(categories: readonly Category[]): Steps<void> {
    const changed = new Set<Int64>();
    for (const category of categories) {
      const existing = yield* wait(this.get(category.id));
      if (existing?.name === category.name) continue;
      yield* wait(existing ? this.update(category) : this.insert(category));
      changed.add(category.id);
    }
    const ids = [...changed].sort((a, b) => (a < b ? -1 : 1));
    const range = { count: ids.length, firstId: ids[0] ?? 0, lastId: ids.at(-1) ?? 0 };
    this.sql.recording?.addImport('categories', range);
  }

  isInUse(id: Int64): MaybePromise<boolean> {
    return chain(this.sql.find(IN_USE, id), (row) => row !== undefined);
  }
}
