/** Pages of listPets, and their cursors. page-links.test.ts has their links, with any filters. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../../src/http/contract/cursor.ts';
import { importPets } from '../../support/catalogue.ts';
import { useService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';

/** The ids of the animals. */
const IDS = Array.from({ length: 140 }, (_, index) => 491 + index);
const statuses = ['available', 'pending', 'sold', undefined] as const;

const service = useService();
beforeAll(() =>
  importPets(
    service.database,
    IDS.map((id, index) => ({
      id,
      name: 'Rex',
      categoryId: 1,
      status: statuses[index % 4],
    })),
  ),
);

const list = (query: string) => service.request('GET', `/v1/pets?${query}`);
const idsOf = ({ json }: TestResponse) => (json as { id: number }[]).map(({ id }) => id);

describe('a page', () => {
  test('of 100 leads to the others', async () => {
    const first = await list('limit=100');
    const rest = await service.request('GET', first.next ?? '');
    expect([...idsOf(first), ...idsOf(rest)].slice(0, 120)).toEqual(IDS.slice(0, 120));
  });

  test('may have another limit than the one before', async () => {
    const next = (await list('limit=3')).next?.replace('limit=3', 'limit=5') ?? '';
    expect(idsOf(await service.request('GET', next))).toEqual([494, 495, 496, 497, 498]);
  });

  test('has no Link if it is the last one, even if it is full', async () => {
    const query = [491, 492, 493, 494].map((id) => `id=${id}`).join('&');
    expect((await list(`limit=4&${query}`)).headers.get('link')).toBeNull();
    expect((await list(`limit=3&${query}`)).headers.get('link')).not.toBeNull();
  });
});

describe('a cursor', () => {
  const cursor = encodeCursor(500, '/pets');

  async function expectRefused(query: string): Promise<void> {
    expect((await list(query)).json).toMatchObject({
      code: 'invalid_cursor',
      status: 400,
    });
  }

  test('is accepted unchanged', async () => {
    expect(idsOf(await list(`cursor=${cursor}`))).toEqual(
      Array.from({ length: 20 }, (_, index) => 501 + index),
    );
  });

  test('from before the parameter sort was added is still valid', async () => {
    const page = async (query: string) => idsOf(await list(`limit=2&${query}`));
    expect(await page('cursor=AAAAAAAAAfRMQO_c')).toEqual([501, 502]);
    expect(await page('sort=id&cursor=AAAAAAAAAfRMQO_c')).toEqual([501, 502]);
    expect(await page('status=sold&categoryId=1&cursor=AAAAAAAAAfS0J-Ra')).toEqual([501, 505]);
  });

  test('with one bit changed is none', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeCursor(altered.toString('base64url'), '/pets')).toBeUndefined();
    }
  });

  test('that is truncated, lengthened, empty or invented is 400', async () => {
    for (const invented of [
      '',
      cursor.slice(0, -1),
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
