/** The link to the next page, for filters of any value: it carries them exactly, and its cursor belongs to them alone. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Filters } from '../../../src/http/contract/filters.ts';
import { page } from '../../../src/http/contract/page.ts';
import { run } from '../../../src/steps.ts';

const REQUEST = { limit: 1, baseUrl: 'https://store.test/v1', path: '/things', links: true };

/** The page of a list of two, which has another page after it. */
async function firstPage(filters: Filters, cursor?: string) {
  const things = [{ id: 1 }, { id: 2 }];
  const answer = await run(page({ ...REQUEST, filters, cursor }, () => things));
  if (!('body' in answer)) return answer.code;
  const url = /^<([^<>"\s]+)>; rel="next"$/.exec(answer.headers?.['Link'] ?? '')?.[1] ?? '';
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

/** The same for two lists if and only if they hold the same. */
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
  test('carries every filter, whatever its value is', async () => {
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

  test('has a cursor that no list accepts of which one filter differs', async () => {
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

  test('tells a filter whose value looks like two from both', async () => {
    const cursor = await cursorOf({ name: 'x status=sold' });
    expect(await firstPage({ name: 'x', status: 'sold' }, cursor)).toBe('invalid_cursor');
  });
});
