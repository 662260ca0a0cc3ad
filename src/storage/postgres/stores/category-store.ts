import type { Category } from '../../../categories/category.ts';
import type { CategoryFilters } from '../../../categories/category-filters.ts';
import type { CategoryStore } from '../../../categories/category-store.ts';
import { putAll } from '../../../categories/put-all.ts';
import type { Int64 } from '../../../int64.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import { runSteps } from '../../../steps.ts';
import { CATEGORIES } from '../../tables.ts';
import { arrayOf } from '../statements/arrays.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';
import { PostgresResourceStore, resourceStatements } from './resource-store.ts';

const STATEMENTS = resourceStatements<Category>(CATEGORIES);

export class PostgresCategoryStore
  extends PostgresResourceStore<Category, Category, CategoryFilters>
  implements CategoryStore
{
  constructor(run: Run, lock: RowLock) {
    super(STATEMENTS, run, lock);
  }

  async isKnown(id: Int64): Promise<boolean> {
    // FOR KEY SHARE does not block other readers, but prevents the deletion of the record.
    const rows = await this.run(`${STATEMENTS.select} WHERE id = $1 FOR KEY SHARE`, [id]);
    return rows.length > 0;
  }

  async knownAmong(ids: readonly Int64[]): Promise<ReadonlySet<Int64>> {
    // In the order of the ids, so that two transactions never wait for each other.
    const rows = await this.run<Category>(
      `${STATEMENTS.select} WHERE id = ANY($1::bigint[]) ORDER BY id FOR KEY SHARE`,
      [arrayOf(ids)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  putAll(categories: readonly Category[]): MaybePromise<Category[]> {
    return runSteps(putAll(this, categories));
  }

  async isInUse(id: Int64): Promise<boolean> {
    const rows = await this.run('SELECT 1 FROM animal_store.pets WHERE category_id = $1 LIMIT 1', [
      id,
    ]);
    return rows.length > 0;
  }
}
