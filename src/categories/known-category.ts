import { type Refusal, refuse } from '../http/errors.ts';
import type { Int64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { CategoryStore } from './category-store.ts';

export interface KnownCategorySetting {
  /** Whether an animal may only belong to a category that has a record. */
  readonly requireKnownCategory: boolean;
}

export interface KnownCategoryRule extends KnownCategorySetting {
  readonly categories: CategoryStore;
}

/** Why an animal cannot be given this category, if so. Undefined is no category, and always fine. */
export function unknownCategory(
  { categories, requireKnownCategory }: KnownCategoryRule,
  categoryId: Int64 | undefined,
): MaybePromise<Refusal<'validation_failed'> | undefined> {
  if (!requireKnownCategory || categoryId === undefined) return undefined;
  return chain(categories.isKnown(categoryId), (isKnown) =>
    isKnown ? undefined : refuse('validation_failed', 'categoryId: names no known category.'),
  );
}
