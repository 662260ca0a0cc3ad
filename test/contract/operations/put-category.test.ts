/** putCategory: PUT /categories/{categoryId}, and getCategory: GET /categories/{categoryId}. Animals may refer to a category before it is created. */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';

const service = useService();

const put = (id: unknown, body: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('PUT', `/v1/categories/${id}`, { body, headers });
const get = (id: unknown, at = service) => at.request('GET', `/v1/categories/${id}`);
const remove = (id: unknown) => service.request('DELETE', `/v1/categories/${id}`);

describe('putCategory', () => {
  test('returns 201 with Location for a new category, and 200 without it for a known one', async () => {
    await service.addPet({ name: 'Rex', categoryId: 10 });
    const first = await put(10, { name: ' Dogs ' });
    expect(first.status).toBe(201);
    expect(first.json).toEqual({ id: 10, name: ' Dogs ' });
    expect(first.headers.get('location')).toBe('https://store.test/v1/categories/10');
    const second = await put(10, { name: 'Cats' });
    expect(second.status).toBe(200);
    expect(second.json).toEqual({ id: 10, name: 'Cats' });
    expect((await get(10)).text).toBe(second.text);
  });

  test.each(['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'keeps the id %s exact in path, body and Location',
    async (id) => {
      const response = await put(id, { name: 'Any' });
      expect(response.status).toBe(201);
      expect(response.text).toBe(`{"id":${id},"name":"Any"}`);
      expect(response.headers.get('location')).toBe(`https://store.test/v1/categories/${id}`);
      expect((await get(id)).text).toBe(response.text);
      expect((await remove(id)).status).toBe(204);
    },
  );

  test('accepts the id of the path in the body, and refuses any other', async () => {
    const refused = { code: 'read_only_field', message: 'id: cannot be changed', status: 400 };
    for (const status of [201, 200]) {
      expect((await put(15, { id: 16, name: 'Cats' })).json).toEqual(refused);
      expect((await put(15, { id: 15, name: 'Dogs' })).status).toBe(status);
    }
    expect((await get(15)).json).toEqual({ id: 15, name: 'Dogs' });
    expect((await get(16)).status).toBe(404);
  });
});

describe('putCategory with If-Match', () => {
  test.each(['*', '"any"'])(
    '%s returns 412 for an unknown category, and creates none',
    async (tag) => {
      const { code } = await put(41, { name: 'Dogs' }, { 'If-Match': tag });
      expect(code).toBe('precondition_failed');
      expect((await get(41)).code).toBe('category_not_found');
    },
  );

  test('absent under REQUIRE_IF_MATCH=on is 428 for a known category, also with If-None-Match, and 201 for a new one', async () => {
    await using strict = await startService({ options: { requireIfMatch: true } });
    expect((await put(42, { name: 'Dogs' }, {}, strict)).status).toBe(201);
    for (const headers of [{}, { 'If-None-Match': '"other"' }])
      expect((await put(42, { name: 'Cats' }, headers, strict)).code).toBe('precondition_required');
    expect((await get(42, strict)).json).toEqual({ id: 42, name: 'Dogs' });
  });
});

test('putCategory with If-None-Match: * creates a category and never replaces one, also under REQUIRE_IF_MATCH=on', async () => {
  await using strict = await startService({ options: { requireIfMatch: true } });
  for (const at of [service, strict]) {
    const create = (name: string) => put(51, { name }, { 'If-None-Match': '*' }, at);
    expect((await create('Dogs')).status).toBe(201);
    expect((await create('Cats')).code).toBe('precondition_failed');
    expect((await get(51, at)).json).toEqual({ id: 51, name: 'Dogs' });
  }
});
