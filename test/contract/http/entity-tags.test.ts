/** Entity tags: every representation has a strong ETag, and If-None-Match with the current one gets a 304. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { NewPet, type Pet } from '../../../src/pets/pet.ts';
import { anyNewPet } from '../../support/arbitraries.ts';
import { useService } from '../../support/service.ts';

const service = useService();
beforeAll(async () => {
  await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' });
});

const get = (path: string, ifNoneMatch?: string, method = 'GET') =>
  service.request(method, path, {
    headers: ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch },
  });
const change = (id: unknown, body: unknown) =>
  service.request('PATCH', `/v1/pets/${id}`, { body: renderExactJson(body) });

const STRONG = /^"[\x21\x23-\x7e]+"$/;
const PATHS = ['/v1/pets/1', '/v1/pets', '/v1/pets?limit=1&status=available', '/v1/pets?id=999999'];

describe('an ETag', () => {
  test.each(PATHS)('is in the responses to GET and HEAD %s, and is strong', async (path) => {
    const tag = (await get(path)).etag;
    expect(tag).toMatch(STRONG);
    expect((await get(path, undefined, 'HEAD')).etag).toBe(tag);
  });

  test('in the 201 of createPet is the one that getPet returns', async () => {
    const created = await service.request('POST', '/v1/pets', {
      body: { name: 'Mia', categoryId: 2 },
    });
    expect(created.etag).toMatch(STRONG);
    expect((await get(`/v1/pets/${(created.json as Pet).id}`)).etag).toBe(created.etag);
  });

  test('of a list with exactly one id is that of the animal, also for If-Match', async () => {
    const { id } = await service.addPet({ name: 'Mia', categoryId: 2 });
    const own = (await get(`/v1/pets/${id}`)).etag;
    const one = await get(`/v1/pets?id=${id}`);
    expect(one.etag).toBe(own);
    expect((await get(`/v1/pets?id=${id}`, own)).status).toBe(304);
    const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } });
    const body = { status: 'sold' };
    const changed = await service.request('PATCH', `/v1/pets/${id}`, { ...ifMatch(own), body });
    expect(changed.status).toBe(200);
    expect((await get(`/v1/pets?id=${id}`, own)).status).toBe(200);
    const now = (await get(`/v1/pets?id=${id}&status=sold`)).etag;
    expect(now).toBe(changed.etag);
    expect((await service.request('DELETE', `/v1/pets/${id}`, ifMatch(now))).status).toBe(204);
  });

  test('of a list with several ids, or an unknown one, is that of the list', async () => {
    const { id } = await service.addPet({ name: 'Mia', categoryId: 2 });
    const own = (await get(`/v1/pets/${id}`)).etag;
    const empty = (await get('/v1/pets?id=999999')).etag;
    for (const query of [`id=${id}&id=999999`, `id=${id}&id=${id}`, `id=${id}&status=sold`]) {
      expect((await get(`/v1/pets?${query}`)).etag).not.toBe(own);
    }
    expect((await get(`/v1/pets?id=${id}&status=sold`)).etag).toBe(empty);
  });

  test('of any animals is equal if and only if the representations are equal', async () => {
    const { id } = await service.addPet({ name: 'Rex', categoryId: 1 });
    const fields = NewPet.keyof().options;
    const put = (to: NewPet) =>
      change(id, Object.fromEntries(fields.map((field) => [field, to[field] ?? null])));
    await fc.assert(
      fc.asyncProperty(anyNewPet, anyNewPet, async (one, another) => {
        const [first, second] = [await put(one), await put(another)];
        expect(first.etag === second.etag).toBe(first.text === second.text);
        expect((await put(one)).etag).toBe(first.etag);
      }),
      { numRuns: 60 },
    );
  });

  test('of a list changes if and only if an animal in it changes, is added or is deleted', async () => {
    const path = '/v1/pets?categoryId=77';
    const tags = [(await get(path)).etag];
    const { id } = await service.addPet({ name: 'Rex', categoryId: 77 });
    tags.push((await get(path)).etag);
    await change(id, { status: 'sold' });
    tags.push((await get(path)).etag);
    expect(new Set(tags).size).toBe(3);
    await service.addPet({ name: 'Elsewhere', categoryId: 78 });
    expect((await get(path)).etag).toBe(tags[2] ?? '');
    await service.request('DELETE', `/v1/pets/${id}`);
    expect((await get(path)).etag).toBe(tags[0] ?? '');
  });

  test('of a full last page changes when a next page follows, so that a mirror learns of its link', async () => {
    const path = '/v1/pets?categoryId=79&limit=2';
    for (const name of ['Rex', 'Mia']) await service.addPet({ name, categoryId: 79 });
    const last = await get(path);
    expect(last.headers.get('link')).toBeNull();
    const { id } = await service.addPet({ name: 'Zoe', categoryId: 79 });
    const followed = await get(path, last.etag);
    expect(followed.status).toBe(200);
    expect(followed.text).toBe(last.text);
    expect(followed.headers.get('link')).toContain('rel="next"');
    await service.request('DELETE', `/v1/pets/${id}`);
    expect((await get(path, followed.etag)).etag).toBe(last.etag);
  });
});

describe('a 304', () => {
  test('to listPets has the Link of the 200', async () => {
    const full = await get('/v1/pets?limit=1');
    const { status, headers } = await get('/v1/pets?limit=1', full.etag);
    expect(status).toBe(304);
    expect(headers.get('link')).toStartWith('<https://store.test/v1/pets?');
    expect(headers.get('link')).toBe(full.headers.get('link'));
  });

  test('has the request id and the applied preference', async () => {
    const { headers } = await service.request('GET', '/v1/pets', {
      headers: { 'If-None-Match': '*', 'X-Request-Id': 'mine', Prefer: 'handling=strict' },
    });
    expect(headers.get('x-request-id')).toBe('mine');
    expect(headers.get('preference-applied')).toBe('handling=strict');
  });
});
