import type { Database as Sqlite } from 'bun:sqlite';
import type { Category } from '../../../categories/category.ts';
import type { CategoryFilters } from '../../../categories/category-filters.ts';
import type { CategoryStore } from '../../../categories/category-store.ts';
import { putAll } from '../../../categories/put-all.ts';
import type { Int64 } from '../../../int64.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import { runSteps } from '../../../steps.ts';
import { CATEGORIES } from '../../tables.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { SqliteResourceStore } from './resource-store.ts';

export class SqliteCategoryStore
  extends SqliteResourceStore<Category, Category, CategoryFilters>
  implements CategoryStore
{
  readonly #known: ExactQuery<{ id: Int64 }>;

  constructor(connection: Sqlite) {
    super(connection, CATEGORIES);
    const sql = 'SELECT id FROM categories WHERE id IN (SELECT value FROM json_each(?))';
    this.#known = new ExactQuery(connection, sql, ['id']);
  }

  isKnown(id: Int64): boolean {
    return this.get(id) !== undefined;
  }

  knownAmong(ids: readonly Int64[]): ReadonlySet<Int64> {
    return new Set(this.#known.all(`[${ids.join()}]`).map(({ id }) => id));
  }

  putAll(categories: readonly Category[]): MaybePromise<Category[]> {
    return runSteps(putAll(this, categories));
  }

  isInUse(id: Int64): boolean {
    return (
      this.connection.query('SELECT 1 FROM pets WHERE category_id = ? LIMIT 1').get(id) !== null
    );
  }
}
