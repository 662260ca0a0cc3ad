import { refuse } from '../http/contract/errors.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import { CATEGORY_PARAMS } from './category.ts';
import type { CategoryStore } from './category-store.ts';

export const deleteCategory = operation({
  id: 'deleteCategory',
  method: 'delete',
  path: '/categories/{categoryId}',
  tag: 'Categories',
  summary: 'Remove a category',
  description: 'Removes the record of a category. No animal may belong to the category.',
  scope: 'pets:write',
  stability: 'beta',
  params: CATEGORY_PARAMS,
  responses: { 204: { description: 'The category was removed.' } },
  errors: ['category_not_found', 'precondition_failed', 'precondition_required', 'category_in_use'],
});

interface Deps {
  readonly categories: CategoryStore;
}

export const handleDeleteCategory: Handler<typeof deleteCategory, Deps> = function* (
  { categories },
  { params: { categoryId }, precondition },
) {
  const category = yield* wait(categories.get(categoryId));
  if (category === undefined) return refuse('category_not_found');
  const refusal = precondition(category);
  if (refusal) return refusal;
  if (yield* wait(categories.isInUse(categoryId))) return refuse('category_in_use');
  yield* wait(categories.remove(categoryId));
  return { status: 204 };
};
