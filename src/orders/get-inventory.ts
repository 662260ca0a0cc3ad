import { Inventory } from '../categories/inventory.ts';
import { BETA } from '../http/contract/additions.ts';
import { Int64Text, nameSearch } from '../http/contract/fields.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import type { PetReader } from '../pets/pet-store.ts';

export const getInventory = operation({
  id: 'getInventory',
  method: 'get',
  path: '/store/inventory',
  tag: 'Orders',
  summary: 'Count animals by status',
  description:
    'Returns how many animals have each status. The counts are exact. Counting takes longer with more categories, not with more animals. With `name`, it takes as long as a search that finds nothing.',
  scope: 'orders:read',
  stability: 'beta',
  query: z.object({
    categoryId: Int64Text.optional().openapi({
      param: {
        ...BETA,
        description:
          'Counts only the animals of this category. It needs no record: the counts of an unknown category are 0.',
        example: 1,
      },
    }),
    name: nameSearch('animals', 'rex', 'Counts'),
  }),
  responses: {
    200: {
      description: 'The number of animals by status.',
      schema: Inventory,
      example: { available: 12, pending: 3, sold: 40, unset: 0 },
    },
  },
  errors: ['invalid_parameter'],
});

interface Deps {
  readonly pets: PetReader;
}

export const handleGetInventory: DirectHandler<typeof getInventory, Deps> = (
  { pets },
  { query: { categoryId, name }, keyId, isGone },
) =>
  chain(
    name === undefined
      ? pets.inventory(categoryId)
      : pets.inventoryOfNames(name, categoryId, { keyId, isGone }),
    (inventory) => ({ status: 200, body: { ...inventory } }),
  );
