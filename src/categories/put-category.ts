import { refuseOtherId } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import { CATEGORY_PARAMS, Category, CategoryName } from './category.ts';
import type { CategoryStore } from './category-store.ts';

export const putCategory = operation({
  id: 'putCategory',
  method: 'put',
  path: '/categories/{categoryId}',
  tag: 'Categories',
  summary: 'Name a category',
  description:
    'Creates the record of a category, or renames the category. The client chooses the id, which ' +
    'animals may refer to already.',
  scope: 'pets:write',
  stability: 'beta',
  params: CATEGORY_PARAMS,
  body: { schema: CategoryName, examples: { dogs: { name: 'Dogs' } } },
  responses: {
    200: {
      description: 'The category was renamed.',
      schema: Category,
      example: { id: 1, name: 'Dogs' },
    },
    201: {
      description: 'The record was created.',
      schema: Category,
      example: { id: 1, name: 'Dogs' },
      headers: { Location: 'The URL of the category.' },
    },
  },
  errors: ['read_only_field', 'validation_failed', 'precondition_failed', 'precondition_required'],
});

interface Deps {
  readonly categories: CategoryStore;
  readonly baseUrl: string;
}

export const handlePutCategory: Handler<typeof putCategory, Deps> = function* (
  { categories, baseUrl },
  { params: { categoryId }, body: { id, name }, precondition },
) {
  const otherId = refuseOtherId(id, categoryId);
  if (otherId) return otherId;
  const category = { id: categoryId, name };
  const known = yield* wait(categories.get(categoryId));
  const refusal = precondition(known);
  if (refusal) return refusal;
  if (known) {
    yield* wait(categories.replace(category));
    return { status: 200, body: category };
  }
  yield* wait(categories.create(category));
  return {
    status: 201,
    body: category,
    headers: { Location: `${baseUrl}/categories/${categoryId}` },
  };
};
