import { countField } from '../http/contract/fields.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import type { PetReader } from '../pets/pet-store.ts';

const Inventory = z
  .object({
    available: countField('Animals that can be ordered.'),
    pending: countField('Animals that an open order holds, or that staff set to pending.'),
    sold: countField('Animals that were sold.'),
    unset: countField('Animals without a status.'),
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
