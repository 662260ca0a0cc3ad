/** listPets: GET /pets ("Readings of the specification" in docs/decisions.md). */
import { beforeAll, describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;

const idsOf = ({ json }: TestResponse) => (json as { id: unknown }[]).map(({ id }) => id);

describe.each([true, false])('listPets with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });
  beforeAll(async () => {
    await Promise.all(
      Array.from({ length: 120 }, (_, index) => {
        const status = [...STATUSES, undefined][index % 4];
        return service.addPet({ name: `Pet ${index}`, categoryId: 1, status });
      }),
    );
  });

  const list = (query = '') => service.request('GET', `/v1/pets${query}`);

  test('sorts by id, ascending', async () => {
    const ids = idsOf(await list('?limit=100')) as number[];
    expect(ids).toHaveLength(100);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  describe('limit', () => {
    test('is 20 by default', async () => {
      expect((await list()).json).toHaveLength(20);
    });

    test.each([1, 2, 99, 100])('of %d is the largest number of animals', async (limit) => {
      expect((await list(`?limit=${limit}`)).json).toHaveLength(limit);
    });

    test.each([
      ...['0', '101', '-1', 'abc', '', '10.0', '+10', '%2B10', '010', '1e1', '0x10', ' 10', '１０'],
      '99999999999999999999',
    ])('of %j is 400: it must be 1 to 100 in canonical digits', async (limit) => {
      expect((await list(`?limit=${limit}`)).json).toEqual({
        code: 'invalid_parameter',
        message: 'limit: must be a whole number from 1 to 100',
        status: 400,
      });
    });
  });

  describe('status', () => {
    test.each(STATUSES)('of %s returns only the animals with this status', async (status) => {
      const { json } = await list(`?limit=100&status=${status}`);
      expect(json).toHaveLength(30);
      expect(new Set((json as { status: string }[]).map((pet) => pet.status))).toEqual(
        new Set([status]),
      );
    });

    test.each(['foo', '', 'Available', 'available ', 'available,sold'])(
      'of %j is 400',
      async (status) => {
        const { code } = await list(`?status=${encodeURIComponent(status)}`);
        expect(code).toBe('invalid_parameter');
      },
    );
  });
});

describe('listPets with sort', () => {
  const service = useService();
  beforeAll(async () => {
    for (const status of ['available', 'sold', 'sold'] as const)
      await service.addPet({ name: 'Rex', categoryId: 1, status });
  });

  const list = (query: string) => service.request('GET', `/v1/pets?${query}`);

  test('is ascending with id, and descending with -id', async () => {
    expect(idsOf(await list('sort=id'))).toEqual([1, 2, 3]);
    expect(idsOf(await list('sort=-id'))).toEqual([3, 2, 1]);
    const first = await list('sort=-id&limit=1');
    const second = await service.request('GET', first.next ?? '');
    expect([idsOf(first), idsOf(second)]).toEqual([[3], [2]]);
    expect(idsOf(await list('sort=-id&status=sold'))).toEqual([3, 2]);
    expect(idsOf(await list('sort=-id&id=1&id=3&id=9'))).toEqual([3, 1]);
  });
});

describe('listPets with the filter', () => {
  const service = useService();
  beforeAll(async () => {
    for (let id = 1; id <= 100; id += 1) await service.addPet({ name: `Pet ${id}`, categoryId: 1 });
  });

  const list = (query: string) => service.request('GET', `/v1/pets?${query}`);

  describe('id', () => {
    test('accepts 100 ids and rejects 101', async () => {
      const ids = (count: number) =>
        Array.from({ length: count }, (_, index) => `id=${index + 1}`).join('&');
      expect((await list(`limit=100&${ids(100)}`)).json).toHaveLength(100);
      expect((await list(ids(101))).json).toMatchObject({
        code: 'invalid_parameter',
        message: 'id: must not be given more than 100 times',
      });
    });

    test('ignores ids without an animal', async () => {
      expect((await list('id=1&id=88888888&id=-3')).json).toHaveLength(1);
    });

    test('is named without an index in an error', async () => {
      const { json } = await list('id=1&id=x&id=y');
      const message =
        'id: must be an integer in digits, from -9223372036854775808 to 9223372036854775807';
      expect(json).toMatchObject({ message });
    });
  });

  test('name selects only the animals that match the others, too', async () => {
    const { id } = await service.addPet({ name: 'Mia', categoryId: 41, status: 'sold' });
    const filters = { id: String(id), name: 'mia', categoryId: '41', status: 'sold' };
    const found = async (other: object) =>
      idsOf(await list(`${new URLSearchParams({ ...filters, ...other })}`));
    expect(await found({})).toEqual([id]);
    for (const other of [{ id: '1' }, { name: 'pet' }, { categoryId: '1' }, { status: 'pending' }])
      expect([other, await found(other)]).toEqual([other, []]);
  });

  test.each(['9007199254740993', '-9223372036854775808', '0'])(
    'categoryId is exact for %s',
    async (id) => {
      const { id: petId } = await service.addPet({ name: 'Rex', categoryId: BigInt(id) });
      expect(idsOf(await list(`categoryId=${id}`))).toEqual([petId]);
    },
  );
});
