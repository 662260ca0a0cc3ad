import {
  type KnownCategoryRule,
  type KnownCategorySetting,
  unknownCategory,
} from '../categories/known-category.ts';
import { type Answer, type Handler, operation } from '../http/operation.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { NewPet, Pet } from './pet.ts';
import type { PetAdder } from './pet-store.ts';

export const createPet = operation({
  id: 'createPet',
  method: 'post',
  path: '/pets',
  tag: 'Pets',
  summary: 'Add an animal',
  description: 'Adds an animal and assigns its id. When the answer arrives, the animal is on disk.',
  scope: 'pets:write',
  body: {
    schema: NewPet,
    examples: {
      full: { name: 'Rex', categoryId: 1, status: 'available' },
      minimal: { name: 'Mia', categoryId: 2 },
    },
  },
  answers: {
    201: {
      description: 'The animal was added.',
      schema: Pet,
      example: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
      headers: { Location: 'The address of the animal.' },
    },
  },
  errors: ['validation_failed'],
});

interface Deps {
  readonly pets: PetAdder;
  readonly baseUrl: string;
}

export const handleCreatePet =
  ({ pets, baseUrl, ...rule }: Deps & KnownCategoryRule): Handler<typeof createPet> =>
  ({ body }) =>
    chain(
      unknownCategory(rule, body.categoryId),
      (unknown) => unknown ?? addPet({ pets, baseUrl }, body),
    );

/** Adds an animal without a look at anything that is stored, unless its category must be known. */
export const createPetBlindly = {
  when: ({ requireKnownCategory }: KnownCategorySetting): boolean => !requireKnownCategory,
  handler:
    (deps: Deps): Handler<typeof createPet> =>
    ({ body }) =>
      addPet(deps, body),
};

const addPet = ({ pets, baseUrl }: Deps, pet: NewPet): MaybePromise<Answer<typeof createPet>> =>
  chain(pets.create(pet), (added) => ({
    status: 201,
    body: added,
    headers: { Location: `${baseUrl}/pets/${added.id}` },
  }));
