import { type KnownCategoryRule, unknownCategory } from '../categories/known-category.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import { NewPet, Pet } from './pet.ts';
import type { PetStore } from './pet-store.ts';

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

interface Deps extends KnownCategoryRule {
  readonly pets: PetStore;
  readonly baseUrl: string;
}

export const handleCreatePet =
  ({ pets, baseUrl, ...rule }: Deps): Handler<typeof createPet> =>
  ({ body }) =>
    chain(
      unknownCategory(rule, body.categoryId),
      (unknown) =>
        unknown ??
        chain(pets.create(body), (pet) => ({
          status: 201,
          body: pet,
          headers: { Location: `${baseUrl}/pets/${pet.id}` },
        })),
    );

/** Whether an animal is added without a look at anything else. */
export const isOneChange = ({
  requireKnownCategory,
}: Pick<KnownCategoryRule, 'requireKnownCategory'>): boolean => !requireKnownCategory;
