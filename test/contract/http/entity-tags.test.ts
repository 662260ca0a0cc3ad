/** Entity tags: every representation has a strong ETag, and who holds the current one is sent no body. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import type { NewPet, Pet } from '../../../src/pets/pet.ts';
import { anyNewPet } from '../../support/arbitraries.ts';
import { startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';

let service: TestService;
let pet: Pet;
beforeAll(async () => {
  service = await startService();
  pet = await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' });
});
afterAll(() => service.close());

const etagOf = ({ headers }: TestResponse) => headers.get('etag') ?? 'none';
const ask = (path: string, ifNoneMatch?: string, method = 'GET') =>
  service.request(method, path, {
    headers: ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch },
  });
const change = (id: unknown, body: unknown) =>
  service.request('PATCH', `/v1/pets/${id}`, { body: renderExactJson(body) });

const STRONG = /^"[\x21\x23-\x7e]+"$/;
const PATHS = ['/v1/pets/1', '/v1/pets', '/v1/pets?limit=1&status=available', '/v1/pets?id=999999'];

describe('an ETag', () => {
  test.each(PATHS)('stands on GET %s and the same on HEAD, and is strong', async (path) => {
    const tag = etagOf(await ask(path));
    expect(tag).toMatch(STRONG);
    expect(etagOf(await ask(path, undefined, 'HEAD'))).toBe(tag);
  });

  test('on the 201 of an animal is the one that getPet gives', async () => {
    const created = await service.request('POST', '/v1/pets', {
      body: { name: 'Mia', categoryId: 2 },
    });
    expect(etagOf(created)).toMatch(STRONG);
    expect(etagOf(await ask(`/v1/pets/${(created.json as Pet).id}`))).toBe(etagOf(created));
  });

  test('on a list of exactly one id is that of the animal, and lets it be changed and removed', async () => {
    const { id } = await service.addPet({ name: 'Mia', categoryId: 2 });
    const own = etagOf(await ask(`/v1/pets/${id}`));
    const one = await ask(`/v1/pets?id=${id}`);
    expect(etagOf(one)).toBe(own);
    expect((await ask(`/v1/pets?id=${id}`, own)).status).toBe(304);
    const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } });
    const body = { status: 'sold' };
    const changed = await service.request('PATCH', `/v1/pets/${id}`, { ...ifMatch(own), body });
    expect(changed.status).toBe(200);
    expect((await ask(`/v1/pets?id=${id}`, own)).status).toBe(200);
    const now = etagOf(await ask(`/v1/pets?id=${id}&status=sold`));
    expect(now).toBe(etagOf(changed));
    expect((await service.request('DELETE', `/v1/pets/${id}`, ifMatch(now))).status).toBe(204);
  });

  test('on a list of several ids, or of one that is not found, is that of the list', async () => {
    const { id } = await service.addPet({ name: 'Mia', categoryId: 2 });
    const own = etagOf(await ask(`/v1/pets/${id}`));
    const empty = etagOf(await ask('/v1/pets?id=999999'));
    for (const query of [`id=${id}&id=999999`, `id=${id}&id=${id}`, `id=${id}&status=sold`]) {
      expect(etagOf(await ask(`/v1/pets?${query}`))).not.toBe(own);
    }
    expect(etagOf(await ask(`/v1/pets?id=${id}&status=sold`))).toBe(empty);
  });

  test('is on no refusal', async () => {
    for (const path of ['/v1/pets/999999', '/v1/pets?limit=0', '/v1/nothing'])
      expect((await ask(path)).headers.get('etag')).toBeNull();
  });

  test('of an animal is the same for every key, at every time, whatever else is added', async () => {
    const tag = etagOf(await ask('/v1/pets/1'));
    const { secret: key } = await service.issueKey(['pets:read']);
    service.clock.advance(86_400_000);
    await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' });
    expect(etagOf(await service.request('GET', '/v1/pets/1', { key }))).toBe(tag);
  });

  test('of an animal changes when and only when its representation does', async () => {
    const { id } = await service.addPet({ name: 'Rex', categoryId: 1 });
    const first = await ask(`/v1/pets/${id}`);
    await change(id, { name: 'Rex', status: null });
    expect(etagOf(await ask(`/v1/pets/${id}`))).toBe(etagOf(first));
    for (const body of [{ name: 'Max' }, { categoryId: 2 }, { status: 'sold' }]) {
      const before = etagOf(await ask(`/v1/pets/${id}`));
      expect(etagOf(await change(id, body))).not.toBe(before);
    }
    await change(id, { name: 'Rex', categoryId: 1, status: null });
    expect(etagOf(await ask(`/v1/pets/${id}`))).toBe(etagOf(first));
  });

  test('is equal for equal representations alone, whatever the animals', async () => {
    const { id } = await service.addPet({ name: 'Rex', categoryId: 1 });
    const put = (to: NewPet) => change(id, { ...to, status: to.status ?? null });
    await fc.assert(
      fc.asyncProperty(anyNewPet, anyNewPet, async (one, another) => {
        const [first, second] = [await put(one), await put(another)];
        expect(etagOf(first) === etagOf(second)).toBe(first.text === second.text);
        expect(etagOf(await put(one))).toBe(etagOf(first));
      }),
      { numRuns: 200 },
    );
  });

  test('of a list changes when and only when an animal in it does, comes or goes', async () => {
    const path = '/v1/pets?categoryId=77';
    const tags = [etagOf(await ask(path))];
    const { id } = await service.addPet({ name: 'Rex', categoryId: 77 });
    tags.push(etagOf(await ask(path)));
    await change(id, { status: 'sold' });
    tags.push(etagOf(await ask(path)));
    expect(new Set(tags).size).toBe(3);
    await service.addPet({ name: 'Elsewhere', categoryId: 78 });
    expect(etagOf(await ask(path))).toBe(tags[2] ?? '');
    await service.request('DELETE', `/v1/pets/${id}`);
    expect(etagOf(await ask(path))).toBe(tags[0] ?? '');
  });
});

describe('If-None-Match', () => {
  const naming = [
    (tag: string) => tag,
    (tag: string) => `W/${tag}`,
    (tag: string) => `"a", W/"b" , ${tag}`,
    () => '*',
    () => ' * ',
  ];

  describe.each(['GET', 'HEAD'])('on %s', (method) => {
    test.each(PATHS)(
      'that names the ETag of %s, strong or weak, alone or in a list, or is *, is 304 without a body and with the ETag',
      async (path) => {
        const tag = etagOf(await ask(path));
        for (const header of naming) {
          const answer = await ask(path, header(tag), method);
          expect(answer.status).toBe(304);
          expect(answer.text).toBe('');
          expect(answer.headers.get('content-type')).toBeNull();
          expect(etagOf(answer)).toBe(tag);
        }
      },
    );

    test.each(PATHS)('that names another ETag than that of %s is 200', async (path) => {
      const tag = etagOf(await ask(path));
      for (const header of ['"other"', 'W/"other"', tag.slice(1, -1), '"*"', ''])
        expect((await ask(path, header, method)).status).toBe(200);
    });
  });

  test('of an ETag from before a change gets the animal as it is now', async () => {
    const { id } = await service.addPet({ name: 'Rex', categoryId: 1 });
    const tag = etagOf(await ask(`/v1/pets/${id}`));
    await change(id, { name: 'Max' });
    const answer = await ask(`/v1/pets/${id}`, tag);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ id, name: 'Max', categoryId: 1 });
  });

  test('makes no difference to a refusal', async () => {
    expect((await ask('/v1/pets/999999', '*')).status).toBe(404);
    expect((await ask('/v1/pets?limit=0', '*')).status).toBe(400);
    const answer = await service.request('GET', '/v1/pets/1', {
      key: null,
      headers: { 'If-None-Match': '*' },
    });
    expect(answer.status).toBe(401);
  });

  test('makes no difference to a creation', async () => {
    const answer = await service.request('POST', '/v1/pets', {
      body: { name: 'Mia', categoryId: 2 },
      headers: { 'If-None-Match': '*' },
    });
    expect(answer.status).toBe(201);
  });
});

describe('a 304', () => {
  test.each(['GET', 'HEAD'])('to %s of getPet says that it is deprecated', async (method) => {
    const full = await ask(`/v1/pets/${pet.id}`);
    const { status, headers } = await ask(`/v1/pets/${pet.id}`, '*', method);
    expect(status).toBe(304);
    for (const name of ['deprecation', 'sunset', 'link']) {
      expect(headers.get(name)).not.toBeNull();
      expect(headers.get(name)).toBe(full.headers.get(name));
    }
  });

  test('to listPets names the next page as the 200 does', async () => {
    const full = await ask('/v1/pets?limit=1');
    const { status, headers } = await ask('/v1/pets?limit=1', etagOf(full));
    expect(status).toBe(304);
    expect(headers.get('link')).toStartWith('<https://store.test/v1/pets?');
    expect(headers.get('link')).toBe(full.headers.get('link'));
  });

  test("carries the request's id and the applied preference", async () => {
    const { headers } = await service.request('GET', '/v1/pets', {
      headers: { 'If-None-Match': '*', 'X-Request-Id': 'mine', Prefer: 'handling=strict' },
    });
    expect(headers.get('x-request-id')).toBe('mine');
    expect(headers.get('preference-applied')).toBe('handling=strict');
  });
});
