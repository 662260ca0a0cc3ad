import { expect, test } from 'bun:test';
import type { z } from 'zod';
import { Category } from '../../src/categories/category.ts';
import { Order } from '../../src/orders/order.ts';
import { Pet } from '../../src/pets/pet.ts';
import { fieldsOf } from '../../src/storage/rows.ts';
import { type AnyTable, CATEGORIES, ORDERS, PETS } from '../../src/storage/tables.ts';

// A stored resource has its fields in the order of the table, a created one in the order of the schema. Entity tags are
// computed from the text, so an animal would have another tag after its creation than later.
test.each<[string, AnyTable, z.ZodObject]>([
  ['categories', CATEGORIES, Category],
  ['pets', PETS, Pet],
  ['orders', ORDERS, Order],
])('the table %s has the fields of the schema, in their order', (_name, table, schema) => {
  expect(fieldsOf(table)).toEqual(Object.keys(schema.shape));
});
