import { Refusal } from '../http/contract/errors.ts';
import type { DirectHandler, Result } from '../http/contract/handler.ts';
import { DEFAULT_SORT } from '../http/contract/list-query.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, page, pageOf, sortedPageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import { Pet } from './pet.ts';
import { PET_FILTER_EXAMPLES, PET_FILTERS } from './pet-filters.ts';
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
    ...sortedPageParameters('/pets', PET_FILTER_EXAMPLES),
    ...PET_FILTERS,
  }),
  additions: {
    description:
      '`sort=-id` returns the newest animals first. The Link header has the URL of the next page; on the last page it is absent. An animal that ' +
      'exists while a client follows these URLs is returned exactly once. If exactly one `id` is ' +
      "given and its animal exists, the ETag is that animal's, for use in `If-Match`.",
    headers: ['Link'],
    errors: ['invalid_cursor'],
  },
  responses: {
    200: {
      description: 'A page of animals.',
      schema: pageOf(Pet),
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

export const handleListPets: DirectHandler<typeof listPets, Deps> = (
  { pets, baseUrl, extensions },
  { query: { limit, cursor, sort = DEFAULT_SORT, ...filters }, keyId, isGone },
) => {
  const query = { filters, sort };
  const result = page(
    { limit, cursor, baseUrl, path: listPets.path, query, links: extensions },
    (afterId, count) => pets.list(query, afterId, count, { keyId, isGone }),
  );
  return filters.id?.length === 1 ? chain(result, withEtagOfAnimal) : result;
};

/** With this tag in If-Match a client can change the animal. getPet, which has the same tag, is deprecated. */
const withEtagOfAnimal = (result: Result<typeof listPets> | Refusal<'invalid_cursor'>) =>
  result instanceof Refusal ? result : { ...result, etagSource: result.body[0] };
