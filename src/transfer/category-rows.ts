import { Category } from '../categories/category.ts';
import type { CategoryReader } from '../categories/category-store.ts';
import type { JsonObject } from '../http/request/body.ts';
import { describeIssues } from '../http/request/validation.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { type ImportTarget, takeValid } from './import-rows.ts';

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
    add: (rows) =>
      takeValid(rows.map(toCategory), (valid) => {
        categories.push(...valid);
        return NONE;
      }),
    async commit() {
      await put(categories);
      return categories.length;
    },
    abandon() {},
  };
}

const NONE: ReadonlyMap<number, string> = new Map();

function toCategory(values: JsonObject): Category | string {
  const category = Category.safeParse(values);
  return category.success ? category.data : describeIssues(category.error).join('; ');
}

/** More than there are. */
const ALL = 2 ** 31;

/** Every record, ascending by id: read at once, so as they are at one moment. */
export const readCategories = (reader: CategoryReader): MaybePromise<Category[]> =>
  reader.list(undefined, ALL);
