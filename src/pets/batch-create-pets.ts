import {
  type KnownCategoryRule,
  type KnownCategorySetting,
  unknownCategories,
} from '../categories/known-category.ts';
import { arrayField } from '../http/contract/fields.ts';
import type { Handler, SavedBody } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { idsOf, type KeptIds, keepIds } from '../idempotency/kept-ids.ts';
import { wait } from '../steps.ts';
import { NewPet, Pet } from './pet.ts';
import type { PetStore } from './pet-store.ts';

const MAX_PETS = 1_000;

export const batchCreatePets = operation({
  id: 'batchCreatePets',
  method: 'post',
  // `/pets/batch` would be the animal with the identifier `batch`. Some tools read a colon as a parameter.
  path: '/pet-batches',
  tag: 'Pets',
  summary: 'Add many animals',
  description:
    `Adds up to ${MAX_PETS} animals, all or none, and returns them in the order of the request. An invalid value is named with its ` +
    'place, such as `pets[3].name`. It is one request for the rate limit.',
  scope: 'pets:write',
  stability: 'beta',
  body: {
    schema: z.object({
      pets: arrayField(NewPet, MAX_PETS, 'animals').openapi({ description: 'The animals to add.' }),
    }),
    examples: {
      two: {
        pets: [
          { name: 'Rex', categoryId: 1, status: 'available' },
          { name: 'Mia', categoryId: 2 },
        ],
      },
    },
  },
  responses: {
    201: {
      description: 'The animals were added.',
      schema: z.array(Pet).openapi({ minItems: 1, maxItems: MAX_PETS }),
      example: [
        { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
        { id: 2, name: 'Mia', categoryId: 2 },
      ],
      hasEntityTag: false,
    },
  },
  errors: ['validation_failed'],
});

interface Deps extends KnownCategoryRule, KnownCategorySetting {
  readonly pets: PetStore;
}

export const handleBatchCreatePets: Handler<typeof batchCreatePets, Deps> = function* (
  { pets, ...rule },
  { body },
) {
  const unknown = yield* unknownCategories(rule, body.pets, 'pets');
  return unknown ?? { status: 201, body: yield* wait(pets.createAll(body.pets)) };
};

/** The animals are in the request, so a record keeps only their ids. */
export const batchSavedAsIds: SavedBody<typeof batchCreatePets, KeptIds> = {
  keep: (pets) => keepIds(pets.map(({ id }) => id)),
  rebuild: ({ body }, kept) => {
    const ids = idsOf(kept);
    return body.pets.map((pet, index) => ({ id: ids[index] as Pet['id'], ...pet }));
  },
};
