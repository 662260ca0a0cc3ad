/** The link to the next page has the filters and the order of the page, and its cursor is valid only with them. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Filters, SORTS, type Sort } from '../../../src/http/contract/list-query.ts';
import { page } from '../../../src/http/contract/page.ts';

const REQUEST = { limit: 1, baseUrl: 'https://store.test/v1', path: '/things', links: true };

/** The first of two pages. @returns its next link, or the code of an error */
async function firstPage(filters: Filters, cursor?: string, sort: Sort = 'id') {
  const things = [{ id: 1 }, { id: 2 }];
  const response = await page({ ...REQUEST, query: { filters, sort }, cursor }, () => things);
  if (!('body' in response)) return response.code;
  const url = /^<([^<>"\s]+)>; rel="next"$/.exec(response.headers?.['Link'] ?? '')?.[1] ?? '';
  return new URL(url);
}

const anyFilters = fc.record(
  {
    name: fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('a&b=c', 'a b', '1 status=sold', '#?/%', '"<>"', '+', 'ä€😀'),
    ),
    status: fc.constantFrom('sold', 'available'),
    categoryId: fc.oneof(fc.integer(), fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n })),
    id: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
  },
  { requiredKeys: [] },
);

const valuesOf = (value: Filters[string]): string[] =>
  Array.isArray(value) ? value.map(String) : [String(value)];

/** Equal for two filters if and only if they select the same. */
const meaningOf = (filters: Filters): string =>
  JSON.stringify(
    Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, [...new Set(valuesOf(value))].sort()]),
  );

const cursorOf = async (filters: Filters, sort?: Sort): Promise<string> => {
  const url = await firstPage(filters, undefined, sort);
  return typeof url === 'string' ? '' : (url.searchParams.get('cursor') ?? '');
};

describe('the link to the next page', () => {
  test('has every filter with any value', async () => {
    const property = fc.asyncProperty(anyFilters, async (filters) => {
      const cursor = await cursorOf(filters);
      const expected = Object.entries(filters).flatMap(([name, value]) =>
        valuesOf(value).map((one) => [name, one]),
      );
      const url = await firstPage(filters, cursor);
      expect([...(url as URL).searchParams]).toEqual([
        ['limit', '1'],
        ...expected,
        ['cursor', cursor],
      ] as [string, string][]);
    });
    await fc.assert(property);
  });

  test('has a cursor that is rejected if any filter differs', async () => {
    const anyName = fc.constantFrom('name', 'status', 'categoryId', 'id');
    const property = fc.asyncProperty(
      anyFilters,
      anyFilters,
      anyName,
      async (one, another: Filters, name) => {
        const other = { ...one, [name]: another[name] };
        fc.pre(meaningOf(one) !== meaningOf(other));
        expect(await firstPage(other, await cursorOf(one))).toBe('invalid_cursor');
      },
    );
    await fc.assert(property);
  });

  test('has any order but the default one', async () => {
    const property = fc.asyncProperty(anyFilters, async (filters) => {
      const parameters = async (sort?: Sort) =>
        ((await firstPage(filters, undefined, sort)) as URL).searchParams;
      expect((await parameters('-id')).getAll('sort')).toEqual(['-id']);
      expect((await parameters('id')).getAll('sort')).toEqual([]);
      expect((await parameters('id')).toString()).toBe((await parameters()).toString());
    });
    await fc.assert(property);
  });

  test('has a cursor that is rejected in another order', async () => {
    const property = fc.asyncProperty(anyFilters, async (filters) => {
      for (const sort of SORTS) {
        const other = sort === 'id' ? '-id' : 'id';
        expect(await firstPage(filters, await cursorOf(filters, sort), sort)).toBeInstanceOf(URL);
        expect(await firstPage(filters, await cursorOf(filters, sort), other)).toBe(
          'invalid_cursor',
        );
      }
    });
    await fc.assert(property);
  });

  test('distinguishes a filter whose value looks like an order', async () => {
    const cursor = await cursorOf({ name: 'x sort=-id' });
    expect(await firstPage({ name: 'x' }, cursor, '-id')).toBe('invalid_cursor');
  });

  test('distinguishes a filter whose value looks like two filters', async () => {
    const cursor = await cursorOf({ name: 'x status=sold' });
    expect(await firstPage({ name: 'x', status: 'sold' }, cursor)).toBe('invalid_cursor');
  });
});
