import { int64Field, nameField } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';

const name = nameField("The category's name.");

export const CategoryName = z.object({ name }).openapi('CategoryName', {
  description: 'What to call a category.',
});

export const Category = z
  .object({ id: int64Field('Identifier, as animals refer to it.'), name })
  .openapi('Category', { description: 'The record of a category.' });
export type Category = z.infer<typeof Category>;
