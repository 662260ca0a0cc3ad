import { z } from '@hono/zod-openapi';
import { refuse } from '../http/errors.ts';
import { BETA, type Handler, operation } from '../http/operation.ts';
import { decodeCursor, encodeCursor, nextLink } from '../http/page.ts';
import { queryInteger } from '../http/query.ts';
import { chain } from '../maybe-promise.ts';
import { Pet, PetIdText, PetStatus } from './pet.ts';
import type { PetFilters, PetReader } from './pet-store.ts';

const MAX_IDS = 100;

export const listPets = operation({
  id: 'listPets',
  method: 'get',
  path: '/pets',
  tag: 'Pets',
  summary: 'List animals',
  description:
    'Returns a page of animals, ascending by id. While more follow, the Link header names the ' +
    'next page: follow it until it is absent. An animal that exists throughout is seen exactly once.',
  scope: 'pets:read',
  query: z.object({
    limit: queryInteger({ minimum: 1, maximum: 100, default: 20 }).openapi({
      param: { description: 'Maximum number of animals returned.' },
    }),
    status: PetStatus.optional().openapi({ param: { description: 'Filters by availability.' } }),
    cursor: z
      .string()
      .optional()
      .openapi({
        param: {
          ...BETA,
          description: 'Where the page begins: taken from a Link header, with the same filters.',
        },
      }),
    id: z
      .array(PetIdText)
      .max(MAX_IDS, `must not be given more than ${MAX_IDS} times`)
      .optional()
      .openapi({
        type: 'array',
        items: { type: 'integer', format: 'int64' },
        maxItems: MAX_IDS,
        param: {
          ...BETA,
          description: 'Only the animals with these identifiers. May be repeated.',
        },
      }),
  }),
  answers: {
    200: {
      description: 'A page of animals.',
      schema: z.array(Pet),
      example: [
        { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
        { id: 2, name: 'Mia', categoryId: 2 },
      ],
      headers: { Link: 'The next page, as `<URL>; rel="next"`. Absent on the last page.' },
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

export const handleListPets =
  ({ pets, baseUrl }: { pets: PetReader; baseUrl: string }): Handler<typeof listPets> =>
  ({ query: { limit, status, cursor, id: ids } }) => {
    const filters: PetFilters = { status, ids };
    const list = nameOf(filters);
    const afterId = cursor === undefined ? BEFORE_ALL : decodeCursor(cursor, list);
    if (afterId === undefined) return refuse('invalid_cursor');
    // One more than asked for tells whether another page follows.
    return chain(pets.list(filters, afterId, limit + 1), (found) => {
      if (found.length <= limit) return { status: 200, body: found };
      const page = found.slice(0, limit);
      const next = new URLSearchParams({ limit: String(limit) });
      if (status !== undefined) next.set('status', status);
      for (const id of ids ?? []) next.append('id', String(id));
      next.set('cursor', encodeCursor(page.at(-1)?.id ?? BEFORE_ALL, list));
      return { status: 200, body: page, headers: { Link: nextLink(baseUrl, listPets.path, next) } };
    });
  };

/** Ids begin at 1: a list without a cursor begins after 0. */
const BEFORE_ALL = 0;

/** Tells lists apart by their filters; the order and repetition of ids make no difference. */
const nameOf = ({ status, ids }: PetFilters): string =>
  `pets ${status ?? ''} ${ids === undefined ? '' : [...new Set(ids)].map(String).sort().join()}`;
