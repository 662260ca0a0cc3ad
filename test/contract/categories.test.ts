/** Category records: categories have ids before they have records, and records give them names. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startService, type TestService } from '../support/service.ts';
import type { TestAnswer } from '../support/test-answer.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const put = (id: unknown, body: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('PUT', `/v1/categories/${id}`, { body, headers });
const get = (id: unknown) => service.request('GET', `/v1/categories/${id}`);
const remove = (id: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('DELETE', `/v1/categories/${id}`, { headers });
const codeOf = ({ json }: TestAnswer) => (json as { code: string }).code;
const idsOf = ({ json }: TestAnswer) => (json as { id: unknown }[]).map(({ id }) => id);

/** The path of the next page, held against the configured base address. */
const nextOf = ({ headers }: TestAnswer) =>
  /^<https:\/\/store\.test(\/v1\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

describe('PUT /categories/{categoryId}', () => {
  test('is 201 with Location the first time and 200 without it from then on', async () => {
    const first = await put(10, { name: 'Dogs' });
    expect(first.status).toBe(201);
    expect(first.json).toEqual({ id: 10, name: 'Dogs' });
    expect(first.headers.get('location')).toBe('https://store.test/v1/categories/10');
    const second = await put(10, { name: 'Cats' });
    expect(second.status).toBe(200);
    expect(second.json).toEqual({ id: 10, name: 'Cats' });
    expect(second.headers.get('location')).toBeNull();
    expect((await get(10)).text).toBe(second.text);
  });

  test('gives a record to a category that animals referred to before', async () => {
    await service.addPet({ name: 'Rex', categoryId: 11 });
    expect((await get(11)).status).toBe(404);
    expect((await put(11, { name: 'Dogs' })).status).toBe(201);
    expect((await get(11)).json).toEqual({ id: 11, name: 'Dogs' });
  });

  test.each(['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'takes any int64: %s is exact in path, body and Location',
    async (id) => {
      const answer = await put(id, { name: 'Any' });
      expect(answer.status).toBe(201);
      expect(answer.text).toBe(`{"id":${id},"name":"Any"}`);
      expect(answer.headers.get('location')).toBe(`https://store.test/v1/categories/${id}`);
      expect((await get(id)).text).toBe(answer.text);
      expect((await remove(id)).status).toBe(204);
    },
  );

  test.each([' Dogs ', 'Zoe\u0308', '🐢'.repeat(255)])('keeps %j exactly as sent', async (name) => {
    expect((await put(12, { name })).json).toEqual({ id: 12, name });
    expect((await get(12)).json).toEqual({ id: 12, name });
  });

  test.each([
    ['absent', {}, 'name: is required.'],
    ['null', { name: null }, 'name: must be a string.'],
    ['white space', { name: ' \t' }, 'name: must not be empty or only white space.'],
    [
      '256 characters long',
      { name: 'é'.repeat(256) },
      'name: must be at most 255 characters long.',
    ],
    ['a lone surrogate', '{"name":"\\ud800"}', 'name: must not contain a lone surrogate.'],
    ['U+0000', '{"name":"a\\u0000"}', 'name: must not contain the character U+0000.'],
  ])('refuses a name that is %s, and changes nothing', async (_what, body, message) => {
    await put(13, { name: 'Dogs' });
    expect((await put(13, body)).json).toEqual({ code: 'validation_failed', message, status: 400 });
    expect((await get(13)).json).toEqual({ id: 13, name: 'Dogs' });
  });

  test('ignores unknown fields, and refuses them with Prefer: handling=strict', async () => {
    const body = { name: 'Dogs', id: 99 };
    expect((await put(14, body)).json).toEqual({ id: 14, name: 'Dogs' });
    const { json } = await put(14, body, { Prefer: 'handling=strict' });
    expect(json).toMatchObject({ message: 'id: is not a known field.' });
  });
});

describe('an id that no record has', () => {
  test.each(['999999', 'abc', '1.0', '01', '-0', '9223372036854775808'])(
    '%s is 404 category_not_found',
    async (id) => {
      for (const answer of [await get(id), await remove(id)])
        expect(answer.json).toMatchObject({ code: 'category_not_found', status: 404 });
    },
  );

  test.each(['abc', '01', '9223372036854775808'])('%s cannot get one: also 404', async (id) => {
    expect(codeOf(await put(id, { name: 'Dogs' }))).toBe('category_not_found');
  });
});

describe('PUT /categories/{categoryId} with If-Match', () => {
  test('of another ETag is 412, and the name stays; of the current one it is 200', async () => {
    const { headers } = await put(40, { name: 'Dogs' });
    expect(codeOf(await put(40, { name: 'Cats' }, { 'If-Match': '"other"' }))).toBe(
      'precondition_failed',
    );
    expect((await get(40)).json).toEqual({ id: 40, name: 'Dogs' });
    const current = { 'If-Match': headers.get('etag') ?? '' };
    expect((await put(40, { name: 'Cats' }, current)).status).toBe(200);
    expect(codeOf(await put(40, { name: 'Birds' }, current))).toBe('precondition_failed');
  });

  test.each(['*', '"any"'])(
    '%s is 412 where there is no record yet, and none is made',
    async (tag) => {
      expect(codeOf(await put(41, { name: 'Dogs' }, { 'If-Match': tag }))).toBe(
        'precondition_failed',
      );
      expect(codeOf(await get(41))).toBe('category_not_found');
    },
  );

  test('absent under REQUIRE_IF_MATCH=on is 428 where a record is changed, and 201 where one is made', async () => {
    const strict = await startService({ rules: { requireIfMatch: true } });
    expect((await put(42, { name: 'Dogs' }, {}, strict)).status).toBe(201);
    expect(codeOf(await put(42, { name: 'Cats' }, {}, strict))).toBe('precondition_required');
    expect((await strict.request('GET', '/v1/categories/42')).json).toEqual({
      id: 42,
      name: 'Dogs',
    });
    await strict.close();
  });
});

describe('DELETE /categories/{categoryId}', () => {
  test('is 204, then 404, and a later PUT is 201 again', async () => {
    await put(20, { name: 'Dogs' });
    const answer = await remove(20);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(codeOf(await get(20))).toBe('category_not_found');
    expect(codeOf(await remove(20))).toBe('category_not_found');
    expect((await put(20, { name: 'Dogs' })).status).toBe(201);
  });

  test('is 409 category_in_use while an animal refers to it, and it stays', async () => {
    await put(21, { name: 'Dogs' });
    const one = await service.addPet({ name: 'Rex', categoryId: 21 });
    const two = await service.addPet({ name: 'Max', categoryId: 21, status: 'sold' });
    expect((await remove(21)).json).toMatchObject({ code: 'category_in_use', status: 409 });
    await service.request('DELETE', `/v1/pets/${one.id}`);
    expect(codeOf(await remove(21))).toBe('category_in_use');
    expect((await get(21)).status).toBe(200);
    await service.request('PATCH', `/v1/pets/${two.id}`, { body: { categoryId: 22 } });
    expect((await remove(21)).status).toBe(204);
  });

  test('keeps to If-Match: 412 before 409, and 428 under REQUIRE_IF_MATCH=on', async () => {
    const { headers } = await put(23, { name: 'Dogs' });
    await service.addPet({ name: 'Rex', categoryId: 23 });
    const current = { 'If-Match': headers.get('etag') ?? '' };
    expect(codeOf(await remove(23, { 'If-Match': '"other"' }))).toBe('precondition_failed');
    expect(codeOf(await remove(23, current))).toBe('category_in_use');
    const strict = await startService({ rules: { requireIfMatch: true } });
    await put(23, { name: 'Dogs' }, {}, strict);
    expect(codeOf(await remove(23, {}, strict))).toBe('precondition_required');
    expect((await remove(23, current, strict)).status).toBe(204);
    await strict.close();
  });
});

describe('GET /categories', () => {
  let many: TestService;
  const ids = [-9223372036854775808n, -5, 0, 1, 2, 3, 7, 100, 9223372036854775807n];
  beforeAll(async () => {
    many = await startService();
    for (const id of ids.toReversed()) await put(id, { name: `Category ${id}` }, {}, many);
  });
  afterAll(() => many.close());

  test('is an array ascending by id, negative ids first', async () => {
    const answer = await many.request('GET', '/v1/categories');
    expect(idsOf(answer)).toEqual(ids);
    expect(answer.headers.get('link')).toBeNull();
  });

  test.each([1, 2, 3, 8, 9, 100])(
    'walked by its Links with limit=%d has each once',
    async (limit) => {
      const walked: unknown[] = [];
      let path: string | undefined = `/v1/categories?limit=${limit}`;
      for (let pages = 0; path !== undefined && pages <= ids.length; pages += 1) {
        const answer = await many.request('GET', path);
        expect(idsOf(answer).length).toBeLessThanOrEqual(limit);
        walked.push(...idsOf(answer));
        path = nextOf(answer);
      }
      expect(walked).toEqual(ids);
    },
  );

  test.each(['limit=0', 'limit=101', 'limit=1&limit=1'])('?%s is 400', async (query) => {
    expect(codeOf(await many.request('GET', `/v1/categories?${query}`))).toBe('invalid_parameter');
  });

  test('takes no cursor of another list', async () => {
    for (let count = 0; count < 2; count += 1) await many.addPet({ name: 'Rex', categoryId: 1 });
    const next = nextOf(await many.request('GET', '/v1/pets?limit=1')) ?? '';
    const path = next.replace('/v1/pets', '/v1/categories');
    expect(codeOf(await many.request('GET', path))).toBe('invalid_cursor');
  });
});

describe('an animal', () => {
  const rex = (categoryId: unknown) => ({ name: 'Rex', categoryId });
  const message = 'categoryId: is not a known category.';
  const UNKNOWN = { code: 'validation_failed', message, status: 400 };

  test('may belong to any category, known or not', async () => {
    const created = await service.request('POST', '/v1/pets', { body: rex(-31) });
    expect(created.status).toBe(201);
    const path = `/v1/pets/${(created.json as { id: number }).id}`;
    const changed = await service.request('PATCH', path, { body: { categoryId: 32 } });
    expect(changed.json).toMatchObject({ categoryId: 32 });
  });

  test('may belong to known categories alone under REQUIRE_KNOWN_CATEGORY=on: else 400, and nothing is stored', async () => {
    const strict = await startService({ rules: { requireKnownCategory: true } });
    const create = (id: unknown) => strict.request('POST', '/v1/pets', { body: rex(id) });
    const change = (body: unknown) => strict.request('PATCH', '/v1/pets/1', { body });
    expect((await create(1)).json).toEqual(UNKNOWN);
    expect((await strict.request('GET', '/v1/pets')).text).toBe('[]');
    await put(1, { name: 'Dogs' }, {}, strict);
    expect((await create(1)).status).toBe(201);
    expect((await change({ name: 'Max', categoryId: 2 })).json).toEqual(UNKNOWN);
    expect((await strict.request('GET', '/v1/pets/1')).json).toEqual({ id: 1, ...rex(1) });
    await put(2, { name: 'Cats' }, {}, strict);
    expect((await change({ categoryId: 2 })).status).toBe(200);
    expect((await change({ status: 'sold' })).status).toBe(200);
    await strict.close();
  });
});

describe('GET /pets?categoryId=', () => {
  const list = (query: string) => service.request('GET', `/v1/pets?${query}`);

  test('returns the animals of this category alone, also together with status', async () => {
    const statuses = ['available', 'sold', 'available', undefined] as const;
    const ids: unknown[] = [];
    for (const status of statuses) {
      ids.push((await service.addPet({ name: 'Rex', categoryId: 41, status })).id);
      await service.addPet({ name: 'Max', categoryId: 42, status });
    }
    expect(idsOf(await list('categoryId=41'))).toEqual(ids);
    expect(idsOf(await list('categoryId=41&status=available'))).toEqual([ids[0], ids[2]]);
    expect(idsOf(await list(`categoryId=41&id=${ids[1]}&id=1`))).toEqual([ids[1]]);
    expect((await list('categoryId=43')).json).toEqual([]);
  });

  test.each(['9007199254740993', '-9223372036854775808', '0'])('is exact for %s', async (id) => {
    const { id: petId } = await service.addPet({ name: 'Rex', categoryId: BigInt(id) });
    expect(idsOf(await list(`categoryId=${id}`))).toEqual([petId]);
  });

  test.each(['', 'abc', '01', '9223372036854775808', '1&categoryId=1'])('%s is 400', async (id) => {
    expect(codeOf(await list(`categoryId=${id}`))).toBe('invalid_parameter');
  });

  test('binds the cursor: the Link keeps the filters, and with others it is 400', async () => {
    for (let count = 0; count < 3; count += 1)
      await service.addPet({ name: 'Rex', categoryId: 44, status: 'sold' });
    const next = nextOf(await list('categoryId=44&status=sold&limit=2')) ?? '';
    expect((await service.request('GET', next)).json).toMatchObject([{ categoryId: 44 }]);
    const others = [
      next.replace('categoryId=44', 'categoryId=45'),
      next.replace('categoryId=44&', ''),
      next.replace('status=sold', 'status=available'),
      next.replace('status=sold&', ''),
    ];
    expect(new Set([next, ...others]).size).toBe(5);
    for (const path of others)
      expect(codeOf(await service.request('GET', path))).toBe('invalid_cursor');
  });
});
