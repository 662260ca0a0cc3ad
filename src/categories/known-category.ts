import { type Refusal, refuse } from '../http/contract/errors.ts';
import { faultAt, messageOf, refuseField } from '../http/contract/faults.ts';
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

const UNKNOWN = 'is not a known category';

/** The refusal if an animal cannot have this category. Undefined, no category, is always allowed. */
export function* unknownCategory(
  { categories, requireKnownCategory }: KnownCategoryRule,
  categoryId: Int64 | undefined,
): Steps<Refusal<'validation_failed'> | undefined> {
  if (!requireKnownCategory || categoryId === undefined) return undefined;
  const isKnown = yield* wait(categories.isKnown(categoryId));
  return isKnown ? undefined : refuseField('validation_failed', 'categoryId', UNKNOWN);
}

/** The same for many animals, with a fault for each. @param field the name of the array of animals in the body. */
export function* unknownCategories(
  { categories, requireKnownCategory }: KnownCategoryRule,
  animals: readonly { readonly categoryId: Int64 }[],
  field: string,
): Steps<Refusal<'validation_failed'> | undefined> {
  if (!requireKnownCategory) return undefined;
  const ids = new Set(animals.map(({ categoryId }) => categoryId));
  const known = yield* wait(categories.knownAmong([...ids]));
  if (known.size === ids.size) return undefined;
  const faults = animals.flatMap(({ categoryId }, index) =>
    known.has(categoryId) ? [] : [faultAt([field, index, 'categoryId'], UNKNOWN)],
  );
  return refuse('validation_failed', messageOf(faults));
}
