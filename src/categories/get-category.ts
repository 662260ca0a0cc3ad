import { refuse } from '../http/errors.ts';
import { idParameter } from '../http/fields.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import { Category } from './category.ts';
import type { CategoryReader } from './category-store.ts';

export const getCategory = operation({
  id: 'getCategory',
  method: 'get',
  path: '/categories/{categoryId}',
  tag: 'Categories',
  summary: 'Fetch one category',
  description: 'Returns the record of a category.',
  scope: 'pets:read',
  stability: 'beta',
  params: {
    schema: idParameter('categoryId', 'Identifier of the category.'),
    notFound: 'category_not_found',
  },
  answers: {
    200: { description: 'The category.', schema: Category, example: { id: 1, name: 'Dogs' } },
  },
  errors: ['category_not_found'],
});

export const handleGetCategory =
  ({ categories }: { categories: CategoryReader }): Handler<typeof getCategory> =>
  ({ params: { categoryId } }) =>
    chain(categories.get(categoryId), (category) =>
      category ? { status: 200, body: category } : refuse('category_not_found'),
    );
