import { idParameter } from '../http/fields.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import { Category, CategoryName } from './category.ts';
import type { CategoryStore } from './category-store.ts';

export const putCategory = operation({
  id: 'putCategory',
  method: 'put',
  path: '/categories/{categoryId}',
  tag: 'Categories',
  summary: 'Name a category',
  description:
    'Gives a category its record, or another name. The caller chooses the id: animals may have ' +
    'referred to it before.',
  scope: 'pets:write',
  stability: 'beta',
  params: {
    schema: idParameter('categoryId', 'Identifier of the category.'),
    notFound: 'category_not_found',
  },
  body: { schema: CategoryName, examples: { dogs: { name: 'Dogs' } } },
  answers: {
    200: {
      description: 'The category has this name now.',
      schema: Category,
      example: { id: 1, name: 'Dogs' },
    },
    201: {
      description: 'The category has a record now.',
      schema: Category,
      example: { id: 1, name: 'Dogs' },
      headers: { Location: 'The address of the category.' },
    },
  },
  errors: ['validation_failed', 'precondition_failed', 'precondition_required'],
});

export const handlePutCategory =
  ({
    categories,
    baseUrl,
  }: {
    categories: CategoryStore;
    baseUrl: string;
  }): Handler<typeof putCategory> =>
  ({ params: { categoryId }, body: { name }, precondition }) => {
    const category = { id: categoryId, name };
    return chain(categories.get(categoryId), (known) => {
      const refusal = precondition(known);
      if (refusal) return refusal;
      if (known) {
        return chain(categories.replace(category), () => ({
          status: 200 as const,
          body: category,
        }));
      }
      const headers = { Location: `${baseUrl}/categories/${categoryId}` };
      return chain(categories.create(category), () => ({
        status: 201 as const,
        body: category,
        headers,
      }));
    });
  };
