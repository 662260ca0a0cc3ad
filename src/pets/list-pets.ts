import { Refusal } from '../http/contract/errors.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, page } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
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
  responses: {
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

interface Deps {
  readonly pets: PetReader;
  readonly baseUrl: string;
  readonly extensions: boolean;
}

export const handleListPets: Handler<typeof listPets, Deps> = function* (
  { pets, baseUrl, extensions },
  { query: { limit, cursor, ...filters } },
) {
  const result = yield* page(
    { limit, cursor, baseUrl, path: listPets.path, filters, links: extensions },
    (afterId, count) => pets.list(filters, afterId, count),
  );
  if (result instanceof Refusal || filters.id?.length !== 1) return result;
  // A client can change the animal with this tag as If-Match. getPet, which has the same, is deprecated.
  return { ...result, tagged: result.body[0] };
};
