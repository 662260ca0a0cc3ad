/** Pages of listPets: a walk returns each animal that exists during all of it exactly once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../../src/http/contract/cursor.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
const ANIMALS = 600;
const statuses = ['available', 'pending', 'sold', undefined] as const;

beforeAll(async () => {
  service = await startService();
  await Promise.all(
    Array.from({ length: ANIMALS }, (_, index) =>
      service.addPet({
        name: `Pet ${index}`,
        categoryId: 1,
        status: statuses[index % 4],
      }),
    ),
  );
});
afterAll(() => service.close());

/** Follows the links from `path`. @returns the ids of each page */
async function walk(
  path: string,
  betweenPages: () => Promise<unknown> | undefined = () => undefined,
): Promise<number[][]> {
  const pages: number[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await service.request('GET', next);
    pages.push((response.json as { id: number }[]).map(({ id }) => id));
    next = response.next;
    await betweenPages();
  }
  return pages;
}

describe('a walk', () => {
  test('returns each of 600 animals once with limits from 1 to 100, while animals are added', async () => {
    const ids = (await walk('/v1/pets?limit=100')).flat();
    const known = new Set(ids);
    expect(known.size).toBe(ANIMALS);
    for (const limit of [1, 7, 33, 100]) {
      // One new animal for every 200: with as many as a page has, the walk would not end.
      let seen = 0;
      const pages = await walk(`/v1/pets?limit=${limit}`, () => {
        seen += limit;
        return seen % 200 < limit ? service.addPet({ name: 'New', categoryId: 2 }) : undefined;
      });
      const walked = pages.flat();
      expect(walked.filter((id) => known.has(id))).toEqual(ids);
      expect(new Set(walked).size).toBe(walked.length);
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
    }
  }, 120_000);

  test.each(['available', 'pending', 'sold'])('keeps the filter status=%s', async (status) => {
    expect((await walk(`/v1/pets?limit=7&status=${status}`)).flat()).toHaveLength(ANIMALS / 4);
  });

  test('keeps id filters', async () => {
    const query = [5, 3, 590, 17, 17].map((id) => `id=${id}`).join('&');
    expect(await walk(`/v1/pets?limit=2&${query}`)).toEqual([
      [3, 5],
      [17, 590],
    ]);
  });

  test.each(['limit=7', 'limit=100', 'limit=9&status=sold', 'limit=9&status=sold&categoryId=1'])(
    'with sort=-id returns the animals of the ascending one in reverse (%s)',
    async (query) => {
      const ids = (await walk(`/v1/pets?${query}&sort=-id`)).flat();
      expect(ids.length).toBeGreaterThan(ANIMALS / 5);
      expect(ids.toReversed()).toEqual((await walk(`/v1/pets?${query}`)).flat());
    },
  );

  test('with sort=id is the same as without', async () => {
    const [one, other] = [
      await service.request('GET', '/v1/pets?limit=3&status=sold'),
      await service.request('GET', '/v1/pets?limit=3&status=sold&sort=id'),
    ];
    expect(other.text).toBe(one.text);
    for (const name of ['link', 'etag'])
      expect(other.headers.get(name)).toBe(one.headers.get(name));
  });

  test('may change its limit between pages', async () => {
    const first = await service.request('GET', '/v1/pets?limit=3');
    const next = first.next?.replace('limit=3', 'limit=5') ?? '';
    const { json } = await service.request('GET', next);
    expect((json as { id: number }[]).map(({ id }) => id)).toEqual([4, 5, 6, 7, 8]);
  });

  test('has no Link on the last page, even if that is full', async () => {
    const query = [1, 2, 3, 4].map((id) => `id=${id}`).join('&');
    expect(
      (await service.request('GET', `/v1/pets?limit=4&${query}`)).headers.get('link'),
    ).toBeNull();
    expect(
      (await service.request('GET', `/v1/pets?limit=3&${query}`)).headers.get('link'),
    ).not.toBeNull();
  });
});

describe('a cursor', () => {
  const cursor = encodeCursor(500, '/pets');

  async function expectRefused(query: string): Promise<void> {
    expect((await service.request('GET', `/v1/pets?${query}`)).json).toMatchObject({
      code: 'invalid_cursor',
      status: 400,
    });
  }

  test('is accepted unchanged', async () => {
    expect((await service.request('GET', `/v1/pets?cursor=${cursor}`)).json).toMatchObject([
      { id: 501 },
      ...Array(19).fill({}),
    ]);
  });

  test('from before the parameter sort was added is still valid', async () => {
    const page = async (query: string) =>
      ((await service.request('GET', `/v1/pets?limit=2&${query}`)).json as { id: number }[]).map(
        ({ id }) => id,
      );
    expect(await page('cursor=AAAAAAAAAfRMQO_c')).toEqual([501, 502]);
    expect(await page('sort=id&cursor=AAAAAAAAAfRMQO_c')).toEqual([501, 502]);
    const sold = (await walk('/v1/pets?status=sold&categoryId=1')).flat();
    expect(await page('status=sold&categoryId=1&cursor=AAAAAAAAAfS0J-Ra')).toEqual(
      sold.filter((id) => id > 500).slice(0, 2),
    );
  });

  test('with one bit changed is 400', async () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expectRefused(`cursor=${altered.toString('base64url')}`);
    }
  });

  test('that is truncated, lengthened, empty or invented is 400', async () => {
    for (let length = 0; length < cursor.length; length += 1)
      await expectRefused(`cursor=${cursor.slice(0, length)}`);
    for (const invented of [
      `${cursor}A`,
      `${cursor}=`,
      'AAAAAAAAAAAAAAAA',
      '500',
      '../../etc',
      '%00',
    ])
      await expectRefused(`cursor=${invented}`);
  });

  test('of other filters is 400', async () => {
    await expectRefused(`cursor=${cursor}&status=available`);
    await expectRefused(`cursor=${cursor}&id=600`);
    await expectRefused(`cursor=${encodeCursor(500, '/pets status=available')}`);
  });

  test('encodes any int64 in 16 characters that need no escaping', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.string(), (id, list) => {
        const encoded = encodeCursor(id, list);
        expect(encoded).toMatch(/^[A-Za-z0-9_-]{16}$/);
        expect(decodeCursor(encoded, list)).toBe(id);
      }),
    );
  });
});
