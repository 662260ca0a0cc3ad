import { idParameter, int64Field, nameField, unchangedIdField } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import { Inventory } from './inventory.ts';

const name = nameField("The category's name.");

export const CategoryName = z.object({ id: unchangedIdField, name }).openapi('CategoryName', {
  description: 'The name of a category.',
});

const id = int64Field('Identifier that animals refer to.');

export const Category = z
  .object({ id, name })
  .openapi('Category', { description: 'The record of a category.' });
export type Category = z.infer<typeof Category>;

export const CountedCategory = z
  .object({ id, name, counts: Inventory })
  .openapi('CountedCategory', {
    description: 'The record of a category, and how many animals of it have each status.',
  });

/** The path parameter of an operation on one category. */
export const CATEGORY_PARAMS = {
  schema: idParameter('categoryId', 'Identifier of the category.'),
  notFound: 'category_not_found',
} as const;
