import type { DirectHandler } from '../http/contract/handler.ts';
import { DEFAULT_SORT } from '../http/contract/list-query.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, page, pageOf, sortedPageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import { type Category, CountedCategory } from './category.ts';
import { CATEGORY_FILTER_EXAMPLES, CATEGORY_FILTERS } from './category-filters.ts';
import type { CategoryReader } from './category-store.ts';
import type { CategoryCounter, Inventory } from './inventory.ts';

export const listCategories = operation({
  id: 'listCategories',
  method: 'get',
  path: '/categories',
  tag: 'Categories',
  summary: 'List categories',
  description:
    'Returns a page of the records of categories, ascending by id, or as `sort` says. Each has the exact numbers of its animals.',
  scope: 'pets:read',
  stability: 'beta',
  query: z.object({
    ...sortedPageParameters('/categories', CATEGORY_FILTER_EXAMPLES),
    ...CATEGORY_FILTERS,
  }),
  responses: {
    200: {
      description: 'A page of categories.',
      schema: pageOf(CountedCategory),
      example: [{ id: 1, name: 'Dogs', counts: { available: 12, pending: 3, sold: 40, unset: 0 } }],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

interface Deps {
  readonly categories: CategoryReader;
  readonly pets: CategoryCounter;
  readonly baseUrl: string;
}

export const handleListCategories: DirectHandler<typeof listCategories, Deps> = (
  { categories, pets, baseUrl },
  { query: { limit, cursor, sort = DEFAULT_SORT, ...filters }, keyId, isGone },
) => {
  const query = { filters, sort };
  return page({ limit, cursor, baseUrl, path: listCategories.path, query }, (afterId, count) =>
    chain(categories.list(query, afterId, count, { keyId, isGone }), (found) =>
      chain(pets.inventoriesOf(found.map(({ id }) => id)), (counts) => withCounts(found, counts)),
    ),
  );
};

const withCounts = (found: readonly Category[], counts: readonly Inventory[]) =>
  found.map((category, index) => ({ ...category, counts: counts[index] as Inventory }));
