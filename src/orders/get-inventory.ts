import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import type { PetReader } from '../pets/pet-store.ts';

const count = (description: string) =>
  z.int().openapi({
    format: 'int64',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
  });

const Inventory = z
  .object({
    available: count('Animals that can be ordered.'),
    pending: count('Animals that an open order holds, or that staff set to pending.'),
    sold: count('Animals that were sold.'),
    unset: count('Animals without a status.'),
  })
  .openapi('Inventory', { description: 'How many animals have each status.' });

export const getInventory = operation({
  id: 'getInventory',
  method: 'get',
  path: '/store/inventory',
  tag: 'Orders',
  summary: 'Count animals by status',
  description:
    'Returns how many animals have each status. The counts are exact, and counting does not take longer with more animals.',
  scope: 'orders:read',
  stability: 'beta',
  responses: {
    200: {
      description: 'The number of animals by status.',
      schema: Inventory,
      example: { available: 12, pending: 3, sold: 40, unset: 0 },
    },
  },
  errors: [],
});

interface Deps {
  readonly pets: PetReader;
}

export const handleGetInventory: DirectHandler<typeof getInventory, Deps> = ({ pets }) =>
  chain(pets.inventory(), (inventory) => ({ status: 200, body: { ...inventory } }));
