import { refuse } from '../http/errors.ts';
import { idParameter } from '../http/fields.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import { Pet } from './pet.ts';
import type { PetReader } from './pet-store.ts';

export const getPet = operation({
  id: 'getPet',
  method: 'get',
  path: '/pets/{petId}',
  tag: 'Pets',
  summary: 'Fetch one animal',
  description:
    'Returns one animal. Deprecated, and removed on 5 December 2030: from then on it answers ' +
    '410. Use `GET /pets` instead, with the `status` filter.',
  ours: { description: 'For one animal, give it the parameter `id`.' },
  scope: 'pets:read',
  deprecation: {
    since: new Date('2026-11-21T00:00:00Z'),
    sunset: new Date('2030-12-05T00:00:00Z'),
    replacement: '/pets',
  },
  params: {
    schema: idParameter('petId', 'Identifier of the animal to retrieve.'),
    notFound: 'pet_not_found',
  },
  answers: {
    200: {
      description: 'The animal.',
      schema: Pet,
      example: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    },
  },
  errors: ['pet_not_found'],
});

export const handleGetPet =
  ({ pets }: { pets: PetReader }): Handler<typeof getPet> =>
  ({ params: { petId } }) =>
    chain(pets.get(petId), (pet) => (pet ? { status: 200, body: pet } : refuse('pet_not_found')));
