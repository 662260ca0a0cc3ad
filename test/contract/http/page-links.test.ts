/** The link to the next page has the filters of the page, and its cursor is valid only with them. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Filters } from '../../../src/http/contract/filters.ts';
import { page } from '../../../src/http/contract/page.ts';

const REQUEST = { limit: 1, baseUrl: 'https://store.test/v1', path: '/things', links: true };

/** The first of two pages. @returns its next link, or the code of an error */
async function firstPage(filters: Filters, cursor?: string) {
  const things = [{ id: 1 }, { id: 2 }];
  const response = await page({ ...REQUEST, filters, cursor }, () => things);
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

const cursorOf = async (filters: Filters): Promise<string> => {
  const url = await firstPage(filters);
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

  test('distinguishes a filter whose value looks like two filters', async () => {
    const cursor = await cursorOf({ name: 'x status=sold' });
    expect(await firstPage({ name: 'x', status: 'sold' }, cursor)).toBe('invalid_cursor');
  });
});
