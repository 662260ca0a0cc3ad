import { Category } from '../categories/category.ts';
import type { CategoryReader } from '../categories/category-store.ts';
import { describeIssues } from '../http/validation.ts';
import type { Int64 } from '../int64.ts';
import type { ImportTarget } from './import-rows.ts';

export const CATEGORY_COLUMNS = ['id', 'name'] as const;
export const CATEGORY_FIELDS = { id: 'number', name: 'text' } as const;

/**
 * Takes rows as the records of categories. There are few of them, so they wait in memory.
 * @param put puts them all, or none.
 */
export function categoryRows(
  put: (categories: readonly Category[]) => Promise<void>,
): ImportTarget {
  const categories: Category[] = [];
  return {
    fields: CATEGORY_FIELDS,
    add(values) {
      const category = Category.safeParse(values);
      if (!category.success) return describeIssues(category.error).join('; ');
      categories.push(category.data);
      return undefined;
    },
    async commit() {
      await put(categories);
      return categories.length;
    },
    abandon() {},
  };
}

/** Every record, ascending by id. */
export async function readCategories(reader: CategoryReader): Promise<Category[]> {
  const all: Category[] = [];
  for (let afterId: Int64 | undefined; ; ) {
    const batch: Category[] = await reader.list(afterId, 1_000);
    if (batch.length === 0) return all;
    all.push(...batch);
    afterId = batch.at(-1)?.id;
  }
}
