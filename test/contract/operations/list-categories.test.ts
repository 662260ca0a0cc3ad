/** listCategories: GET /categories. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';

const IDS = [-9223372036854775808n, -5, 0, 1, 2, 3, 7, 100, 9223372036854775807n];

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const id of IDS.toReversed())
    await service.request('PUT', `/v1/categories/${id}`, { body: { name: `Category ${id}` } });
});
afterAll(() => service.close());

const idsOf = ({ json }: TestResponse) => (json as { id: unknown }[]).map(({ id }) => id);

/** The path of the next page, under the configured base URL. */
const nextOf = ({ headers }: TestResponse) =>
  /^<https:\/\/store\.test(\/v1\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

describe('listCategories', () => {
  test('returns an array sorted by id, negative ids first', async () => {
    const response = await service.request('GET', '/v1/categories');
    expect(idsOf(response)).toEqual(IDS);
    expect(response.headers.get('link')).toBeNull();
  });

  const ORDERS = [
    ['', IDS],
    ['&sort=-id', IDS.toReversed()],
  ] as const;
  test.each(
    [1, 2, 3, 8, 9, 100].flatMap((limit) => ORDERS.map((order) => [limit, ...order] as const)),
  )('with limit=%d%s returns each category once on its pages', async (limit, sort, ids) => {
    const walked: unknown[] = [];
    let path: string | undefined = `/v1/categories?limit=${limit}${sort}`;
    for (let pages = 0; path !== undefined && pages <= IDS.length; pages += 1) {
      const response = await service.request('GET', path);
      expect(idsOf(response).length).toBeLessThanOrEqual(limit);
      walked.push(...idsOf(response));
      path = nextOf(response);
    }
    expect(walked).toEqual([...ids]);
  });

  test.each(['limit=0', 'limit=101', 'limit=1&limit=1', 'sort=name'])(
    'returns 400 for %s',
    async (query) => {
      const { code } = await service.request('GET', `/v1/categories?${query}`);
      expect(code).toBe('invalid_parameter');
    },
  );

  test('rejects the cursor of another list', async () => {
    for (let count = 0; count < 2; count += 1) await service.addPet({ name: 'Rex', categoryId: 1 });
    const next = nextOf(await service.request('GET', '/v1/pets?limit=1')) ?? '';
    const path = next.replace('/v1/pets', '/v1/categories');
    expect((await service.request('GET', path)).code).toBe('invalid_cursor');
  });
});
