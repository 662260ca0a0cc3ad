import { Category } from '../categories/category.ts';
import type { CategoryReader } from '../categories/category-store.ts';
import { describeIssues } from '../http/validation.ts';
import type { MaybePromise } from '../maybe-promise.ts';
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

/** More than there are. */
const ALL = 2 ** 31;

/** Every record, ascending by id: read at once, so as they are at one moment. */
export const readCategories = (reader: CategoryReader): MaybePromise<Category[]> =>
  reader.list(undefined, ALL);
