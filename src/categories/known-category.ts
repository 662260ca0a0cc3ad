import type { Refusal } from '../http/contract/errors.ts';
import { refuseField } from '../http/contract/faults.ts';
import type { Int64 } from '../int64.ts';
import { type Steps, wait } from '../steps.ts';
import type { CategoryStore } from './category-store.ts';

export interface KnownCategorySetting {
  /** Whether the category of an animal must have a record. */
  readonly requireKnownCategory: boolean;
}

export interface KnownCategoryRule extends KnownCategorySetting {
  readonly categories: CategoryStore;
}

/** The refusal if an animal cannot have this category. Undefined, no category, is always allowed. */
export function* unknownCategory(
  { categories, requireKnownCategory }: KnownCategoryRule,
  categoryId: Int64 | undefined,
): Steps<Refusal<'validation_failed'> | undefined> {
  if (!requireKnownCategory || categoryId === undefined) return undefined;
  const isKnown = yield* wait(categories.isKnown(categoryId));
  return isKnown
    ? undefined
    : refuseField('validation_failed', 'categoryId', 'is not a known category');
}
