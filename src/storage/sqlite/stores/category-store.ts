import type { Database as Sqlite } from 'bun:sqlite';
import type { Category } from '../../../categories/category.ts';
import type { CategoryFilters } from '../../../categories/category-filters.ts';
import type { CategoryStore } from '../../../categories/category-store.ts';
import type { Int64 } from '../../../int64.ts';
import { CATEGORIES } from '../../tables.ts';
import { SqliteResourceStore } from './resource-store.ts';

export class SqliteCategoryStore
  extends SqliteResourceStore<Category, Category, CategoryFilters>
  implements CategoryStore
{
  constructor(connection: Sqlite) {
    super(connection, CATEGORIES);
  }

  isKnown(id: Int64): boolean {
    return this.get(id) !== undefined;
  }

  isInUse(id: Int64): boolean {
    return (
      this.connection.query('SELECT 1 FROM pets WHERE category_id = ? LIMIT 1').get(id) !== null
    );
  }
}
