import type { DirectHandler } from '../http/contract/handler.ts';
import { DEFAULT_SORT } from '../http/contract/list-query.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, page, pageOf, sortedPageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { Category } from './category.ts';
import { CATEGORY_FILTER_EXAMPLES, CATEGORY_FILTERS } from './category-filters.ts';
import type { CategoryReader } from './category-store.ts';

export const listCategories = operation({
  id: 'listCategories',
  method: 'get',
  path: '/categories',
  tag: 'Categories',
  summary: 'List categories',
  description: 'Returns a page of the records of categories, ascending by id, or as `sort` says.',
  scope: 'pets:read',
  stability: 'beta',
  query: z.object({
    ...sortedPageParameters('/categories', CATEGORY_FILTER_EXAMPLES),
    ...CATEGORY_FILTERS,
  }),
  responses: {
    200: {
      description: 'A page of categories.',
      schema: pageOf(Category),
      example: [{ id: 1, name: 'Dogs' }],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

interface Deps {
  readonly categories: CategoryReader;
  readonly baseUrl: string;
}

export const handleListCategories: DirectHandler<typeof listCategories, Deps> = (
  { categories, baseUrl },
  { query: { limit, cursor, sort = DEFAULT_SORT, ...filters } },
) =>
  page(
    {
      limit,
      cursor,
      baseUrl,
      path: listCategories.path,
      query: { filters, sort },
      links: true,
    },
    (query, afterId, count) => categories.list(query, afterId, count),
  );
