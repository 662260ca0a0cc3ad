import { z } from '@hono/zod-openapi';
import { Refusal } from '../http/errors.ts';
import { type Handler, operation } from '../http/operation.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, page } from '../http/page.ts';
import { chain } from '../maybe-promise.ts';
import { Pet } from './pet.ts';
import { PET_FILTERS } from './pet-filters.ts';
import type { PetReader } from './pet-store.ts';

export const listPets = operation({
  id: 'listPets',
  method: 'get',
  path: '/pets',
  tag: 'Pets',
  summary: 'List animals',
  description: 'Returns a page of animals, ascending by id.',
  scope: 'pets:read',
  query: z.object({
    ...PAGE_PARAMETERS,
    ...PET_FILTERS,
  }),
  ours: {
    description:
      'While more follow, the Link header names the next page: follow it until it is absent. ' +
      'An animal that exists throughout is seen exactly once. With exactly one `id` that is ' +
      "found, the ETag is that animal's own, as `If-Match` of a change expects it.",
    specifiedParameters: ['limit', 'status'],
    headers: ['Link'],
    errors: ['invalid_cursor'],
  },
  answers: {
    200: {
      description: 'A page of animals.',
      schema: z.array(Pet),
      example: [
        { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
        { id: 2, name: 'Mia', categoryId: 2 },
      ],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

export const handleListPets =
  ({
    pets,
    baseUrl,
    extensions,
  }: {
    pets: PetReader;
    baseUrl: string;
    extensions: boolean;
  }): Handler<typeof listPets> =>
  ({ query: { limit, cursor, ...filters } }) =>
    chain(
      page(
        { limit, cursor, baseUrl, path: listPets.path, filters, links: extensions },
        (afterId, count) => pets.list(filters, afterId, count),
      ),
      (answer) => {
        // So that a client can change the animal with If-Match: getPet, which has the same tag, is deprecated.
        const isOneAnimal = filters.id?.length === 1 && !(answer instanceof Refusal);
        return isOneAnimal ? { ...answer, tagged: answer.body[0] } : answer;
      },
    );
