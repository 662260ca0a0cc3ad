import {
  type KnownCategoryRule,
  type KnownCategorySetting,
  unknownCategory,
} from '../categories/known-category.ts';
import type { DirectHandler, Input } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { chain } from '../maybe-promise.ts';
import { NewPet, Pet } from './pet.ts';
import type { PetAdder } from './pet-store.ts';

export const createPet = operation({
  id: 'createPet',
  method: 'post',
  path: '/pets',
  tag: 'Pets',
  summary: 'Add an animal',
  description:
    'Adds an animal and assigns its id. The response is sent after the animal is safely stored on disk.',
  scope: 'pets:write',
  body: {
    schema: NewPet,
    examples: {
      full: { name: 'Rex', categoryId: 1, status: 'available' },
      minimal: { name: 'Mia', categoryId: 2 },
    },
  },
  responses: {
    201: {
      description: 'The animal was added.',
      schema: Pet,
      example: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
      headers: { Location: 'The URL of the animal.' },
    },
  },
  errors: ['validation_failed'],
});

interface Deps {
  readonly pets: PetAdder;
  readonly baseUrl: string;
}

const handleCreatePet: DirectHandler<typeof createPet, Deps> = ({ pets, baseUrl }, { body }) =>
  chain(pets.create(body), (pet) => ({
    status: 201,
    body: pet,
    headers: { Location: `${baseUrl}/pets/${pet.id}` },
  }));

export const insertPet = {
  mustCheck: ({ requireKnownCategory }: KnownCategorySetting): boolean => requireKnownCategory,
  check: (deps: KnownCategoryRule, { body }: Input<typeof createPet>) =>
    unknownCategory(deps, body.categoryId),
  insert: handleCreatePet,
};
