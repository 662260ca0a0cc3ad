import { refuse } from '../http/contract/errors.ts';
import { idParameter } from '../http/contract/fields.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
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
    'Returns one animal. Deprecated; removed on 5 December 2030: from then on the response is ' +
    '410. Use `GET /pets` with the `status` filter instead.',
  additions: {
    description: 'To fetch one animal, use its `id` filter.',
    replacement: '/pets?id={petId}',
  },
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
  responses: {
    200: {
      description: 'The animal.',
      schema: Pet,
      example: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    },
  },
  errors: ['pet_not_found'],
});

interface Deps {
  readonly pets: PetReader;
}

export const handleGetPet: DirectHandler<typeof getPet, Deps> = ({ pets }, { params: { petId } }) =>
  chain(pets.get(petId), (pet) => (pet ? { status: 200, body: pet } : refuse('pet_not_found')));
