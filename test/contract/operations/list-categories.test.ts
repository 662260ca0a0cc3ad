/** listCategories: GET /categories. */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';
import { walkPages } from '../walk-pages.ts';

const IDS = [-9223372036854775808n, -5, 0, 1, 2, 3, 7, 100, 9223372036854775807n];

const service = useService();
beforeAll(async () => {
  for (const id of IDS.toReversed())
    await service.request('PUT', `/v1/categories/${id}`, { body: { name: `Category ${id}` } });
});

describe('listCategories', () => {
  test('returns each category once on its pages, in both orders', async () => {
    const walk = async (sort: string) => {
      const pages = await walkPages<{ id: bigint }>(service, `/v1/categories?limit=4${sort}`);
      return pages.map((page) => page.map(({ id }) => BigInt(id)));
    };
    const ids = IDS.map(BigInt);
    expect(await walk('')).toEqual([ids.slice(0, 4), ids.slice(4, 8), ids.slice(8)]);
    expect((await walk('&sort=-id')).flat()).toEqual(ids.toReversed());
  });

  test('returns the counts of the animals of each category, which its record does not have', async () => {
    await using counted = await startService();
    const zeros = { available: 0, pending: 0, sold: 0, unset: 0 };
    const names = ['Dogs', 'Cats', 'Hot dogs'];
    for (const [index, name] of names.entries())
      await counted.request('PUT', `/v1/categories/${index}`, { body: { name } });
    for (const status of ['sold', 'sold', 'pending', undefined] as const)
      await counted.addPet({ name: 'Rex', categoryId: 0, ...(status && { status }) });
    await counted.addPet({ name: 'Rex', categoryId: 2, status: 'available' });
    await counted.addPet({ name: 'Rex', categoryId: 5 });
    const [dogs, cats, hotDogs] = [
      { id: 0, name: 'Dogs', counts: { ...zeros, sold: 2, pending: 1, unset: 1 } },
      { id: 1, name: 'Cats', counts: zeros },
      { id: 2, name: 'Hot dogs', counts: { ...zeros, available: 1 } },
    ];
    const list = (query: string) => counted.request('GET', `/v1/categories?${query}`);
    expect((await list('')).json).toEqual([dogs, cats, hotDogs]);
    expect((await list('name=DOG')).json).toEqual([dogs, hotDogs]);
    expect((await list('name=nothing')).json).toEqual([]);
    const first = await list('sort=-id&limit=1&name=dog');
    expect(first.json).toEqual([hotDogs]);
    expect((await counted.request('GET', first.next ?? '')).json).toEqual([dogs]);
    const one = await counted.request('GET', '/v1/categories/0');
    expect(one.json).toEqual({ id: 0, name: 'Dogs' });
    await counted.addPet({ name: 'Rex', categoryId: 0 });
    const again = await counted.request('GET', '/v1/categories/0');
    expect(again.headers.get('etag')).toBe(one.headers.get('etag'));
  });

  test('reads the counts of a page at once', async () => {
    using counts = spyOn(service.database.read.pets, 'inventoriesOf');
    await service.request('GET', '/v1/categories');
    expect(counts).toHaveBeenCalledTimes(1);
  });
});
