import { refuse } from '../http/errors.ts';
import { idParameter } from '../http/fields.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import type { CategoryStore } from './category-store.ts';

export const deleteCategory = operation({
  id: 'deleteCategory',
  method: 'delete',
  path: '/categories/{categoryId}',
  tag: 'Categories',
  summary: 'Remove a category',
  description: 'Removes the record of a category that no animal belongs to.',
  scope: 'pets:write',
  stability: 'beta',
  params: {
    schema: idParameter('categoryId', 'Identifier of the category.'),
    notFound: 'category_not_found',
  },
  answers: { 204: { description: 'The category was removed.' } },
  errors: ['category_not_found', 'precondition_failed', 'precondition_required', 'category_in_use'],
});

export const handleDeleteCategory =
  ({ categories }: { categories: CategoryStore }): Handler<typeof deleteCategory> =>
  ({ params: { categoryId }, precondition }) =>
    chain(categories.get(categoryId), (category) => {
      if (category === undefined) return refuse('category_not_found');
      const refusal = precondition(category);
      if (refusal) return refusal;
      return chain(categories.isInUse(categoryId), (isInUse) =>
        isInUse
          ? refuse('category_in_use')
          : chain(categories.remove(categoryId), () => ({ status: 204 })),
      );
    });
