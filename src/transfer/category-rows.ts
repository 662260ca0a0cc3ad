import { Category } from '../categories/category.ts';
import type { CategoryReader } from '../categories/category-store.ts';
import type { JsonObject } from '../http/request/body.ts';
import { faultsIn } from '../http/request/validation.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { addValid, type ImportTarget } from './import-rows.ts';

/**
 * Imports rows as category records. They are few, and are collected in memory.
 * @param put stores all records, or none.
 */
export function categoryRows(
  put: (categories: readonly Category[]) => Promise<unknown>,
): ImportTarget {
  const categories: Category[] = [];
  return {
    add: (rows) =>
      addValid(rows.map(toCategory), (valid) => {
        categories.push(...valid);
        return NO_ERRORS;
      }),
    async commit() {
      await put(categories);
      return categories.length;
    },
    abandon() {},
  };
}

const NO_ERRORS: ReadonlyMap<number, string> = new Map();

function toCategory(values: JsonObject): Category | string {
  const category = Category.safeParse(values);
  return category.success ? category.data : faultsIn(category.error).join('; ');
}

/** A limit above any number of categories. */
const NO_LIMIT = 2 ** 31;

/** Reads all records in one query, ascending by id. */
export const readCategories = (reader: CategoryReader): MaybePromise<Category[]> =>
  reader.list({ filters: {}, sort: 'id' }, undefined, NO_LIMIT);
