import { refuse } from '../http/contract/errors.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { chain } from '../maybe-promise.ts';
import { CATEGORY_PARAMS, Category } from './category.ts';
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
  params: CATEGORY_PARAMS,
  responses: {
    200: { description: 'The category.', schema: Category, example: { id: 1, name: 'Dogs' } },
  },
  errors: ['category_not_found'],
});

interface Deps {
  readonly categories: CategoryReader;
}

export const handleGetCategory: DirectHandler<typeof getCategory, Deps> = (
  { categories },
  { params: { categoryId } },
) =>
  chain(categories.get(categoryId), (category) =>
    category ? { status: 200, body: category } : refuse('category_not_found'),
  );
