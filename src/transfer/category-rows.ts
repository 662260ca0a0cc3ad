import type { Category } from '../categories/category.ts';
import type { CategoryReader } from '../categories/category-store.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { FileField } from './files/fields.ts';
import type { ImportTarget } from './import-rows.ts';

export const CATEGORY_FIELDS: Readonly<Record<keyof Category, FileField>> = {
  id: { kind: 'int64', isRequired: true },
  name: { kind: 'name', isRequired: true },
};

/**
 * Imports rows as category records. Their values are valid. They are few, and are collected in memory.
 * @param put stores all records, or none.
 */
export function categoryRows(
  put: (categories: readonly Category[]) => Promise<unknown>,
): ImportTarget {
  const categories: Category[] = [];
  return {
    add(rows) {
      for (const values of rows) categories.push(values as unknown as Category);
      return NO_ERRORS;
    },
    async commit() {
      await put(categories);
      return categories.length;
    },
    abandon() {},
  };
}

const NO_ERRORS: ReadonlyMap<number, string> = new Map();

/** Reads all records in one query, ascending by id. */
export const readCategories = (reader: CategoryReader): MaybePromise<Category[]> =>
  reader.list({ filters: {}, sort: 'id' }, undefined, Number.MAX_SAFE_INTEGER);
