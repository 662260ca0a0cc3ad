/** If-None-Match on changes (RFC 9110 §13.1.2), alone and beside If-Match. */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';

const service = useService();

const get = (path: string) => service.request('GET', path);

describe('If-None-Match on a change', () => {
  const send = (method: string, path: string, headers: Record<string, string>, at = service) =>
    at.request(method, path, {
      headers,
      ...(method === 'DELETE' ? {} : { body: method === 'PUT' ? { name: 'Dogs' } : {} }),
    });
  test('of PUT creates a category and never replaces one', async () => {
    const create = (name: string) =>
      service.request('PUT', '/v1/categories/51', {
        body: { name },
        headers: { 'If-None-Match': '*' },
      });
    expect((await create('Dogs')).status).toBe(201);
    expect((await create('Cats')).code).toBe('precondition_failed');
    expect((await get('/v1/categories/51')).json).toEqual({ id: 51, name: 'Dogs' });
  });

  test('of PUT with * lets exactly one of many simultaneous requests create a category', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);
    const responses = await Promise.all(
      names.map((name) =>
        service.request('PUT', '/v1/categories/52', {
          body: { name },
          headers: { 'If-None-Match': '*' },
        }),
      ),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await get('/v1/categories/52')).text).toBe(created[0]?.text ?? '');
  });

  test('of a change of nothing is 404, not 412', async () => {
    for (const method of ['PATCH', 'DELETE'])
      expect((await send(method, '/v1/pets/999999', { 'If-None-Match': '*' })).code).toBe(
        'pet_not_found',
      );
  });

  test('does not replace If-Match under REQUIRE_IF_MATCH=on', async () => {
    const strict = await startService({ options: { requireIfMatch: true } });
    const put = (ifNoneMatch: string) =>
      send('PUT', '/v1/categories/1', { 'If-None-Match': ifNoneMatch }, strict);
    expect((await put('*')).status).toBe(201);
    expect((await put('*')).code).toBe('precondition_failed');
    expect((await put('"other"')).code).toBe('precondition_required');
    await strict.close();
  });
});
