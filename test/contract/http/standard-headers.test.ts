/** The headers of every response for caches and browsers. */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { type RequestOptions, useService } from '../../support/service.ts';

const ORIGIN = 'https://shop.example';
const REX = { name: 'Rex', categoryId: 1 };

const plain = useService({ options: { requireIfMatch: true } });
const shared = useService({ options: { corsOrigins: [ORIGIN] } });
const limited = useService({ options: { rateLimit: { quota: 1, windowSeconds: 60 } } });
beforeAll(async () => {
  await limited.request('GET', '/v1/pets');
  for (const service of [plain, plain, shared]) await service.addPet(REX);
});

type Case = readonly [number, string, string, RequestOptions];

/** A request for each status. */
const CASES: readonly Case[] = [
  [200, 'GET', '/v1/pets', {}],
  [200, 'GET', '/v1/pets/1', {}],
  [200, 'HEAD', '/v1/pets', {}],
  [201, 'POST', '/v1/pets', { body: REX }],
  [204, 'DELETE', '/v1/pets/2', { headers: { 'If-Match': '*' } }],
  [304, 'GET', '/v1/pets/1', { headers: { 'If-None-Match': '*' } }],
  [304, 'HEAD', '/v1/pets', { headers: { 'If-None-Match': '*' } }],
  [400, 'GET', '/v1/pets?limit=0', {}],
  [401, 'GET', '/v1/pets', { key: null }],
  [401, 'GET', '/v1/pets', { key: 'wrong' }],
  [401, 'GET', '/v1', { key: null }],
  [401, 'HEAD', '/v1/nothing', { key: null }],
  [404, 'GET', '/v1/nothing', {}],
  [404, 'GET', '/v1', {}],
  [404, 'GET', '/v1/pets/999', {}],
  [405, 'PUT', '/v1/pets', {}],
  [412, 'DELETE', '/v1/pets/1', { headers: { 'If-Match': '"other"' } }],
  [415, 'POST', '/v1/pets', { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
  [428, 'DELETE', '/v1/pets/1', {}],
];

const NEW_KEY = { name: 'shop', scopes: ['pets:read'] };

describe('a response under /v1', () => {
  const expectPrivate = ({ headers }: { readonly headers: Headers }) => {
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('Authorization, Prefer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  };

  test.each(CASES)(
    '%i to %s %s may be stored only by the client, which must revalidate it and guess no content type',
    async (status, method, path, options) => {
      const response = await plain.request(method, path, options);
      expect(response.status).toBe(status);
      expectPrivate(response);
    },
  );

  test('with 429 or 500 may be stored only by the client, too', async () => {
    const rejected = await limited.request('GET', '/v1/pets');
    expect(rejected.status).toBe(429);
    expectPrivate(rejected);
    using _list = spyOn(plain.database.read.pets, 'list').mockImplementation(() => {
      throw new Error('broken');
    });
    const failed = await plain.request('GET', '/v1/pets?limit=99');
    expect(failed.status).toBe(500);
    expectPrivate(failed);
  });

  test('after one that no client may store may be stored only by the client, too', async () => {
    await plain.request('POST', '/v1/api-keys', { body: NEW_KEY });
    expectPrivate(await plain.request('POST', '/v1/api-keys', { body: {} }));
  });

  test('has no header of the response before it', async () => {
    const namesOf = async (method: string, path: string, options?: RequestOptions) => {
      const { headers } = await plain.request(method, path, options);
      return { names: [...headers.keys()].sort(), cacheControl: headers.get('cache-control') };
    };
    const strict = { headers: { Prefer: 'handling=strict', 'If-None-Match': '"other"' } };
    const others: [string, string, RequestOptions][] = [
      ['GET', '/v1/pets?limit=1', {}],
      ['HEAD', '/v1/pets?limit=1', {}],
      ['GET', '/v1/pets?limit=1', strict],
      ['POST', '/v1/pets', { body: REX }],
      ['POST', '/v1/api-keys', { body: NEW_KEY }],
      ['GET', '/v1/pets/1', {}],
      ['GET', '/v1/pets', { key: 'wrong' }],
      ['POST', '/livez', { key: null }],
    ];
    const paths = ['/v1/pets?id=999', '/v1/pets/999', '/v1/api-keys', '/v1/nothing', '/nothing'];
    const before = await Promise.all(paths.map(async (path) => namesOf('GET', path)));
    for (const other of others)
      for (const [index, path] of paths.entries()) {
        await namesOf(...other);
        expect(await namesOf('GET', path)).toEqual(before[index] as never);
      }
  });

  test('varies by origin, too, if CORS is configured', async () => {
    // More than twice: one is from the response cache.
    for (const origin of [ORIGIN, 'https://evil.example'])
      for (const key of [shared.key, 'wrong'])
        for (let time = 0; time < 3; time += 1) {
          const headers = { Authorization: `Bearer ${key}`, Origin: origin };
          const response = await shared.app.fetch(new Request('http://x/v1/pets', { headers }));
          expect(response.headers.get('cache-control')).toBe('private, no-cache');
          expect(response.headers.get('vary')).toBe('Authorization, Prefer, Origin');
        }
  });
});

test.each([
  [200, 'GET', '/livez'],
  [200, 'HEAD', '/readyz'],
  [404, 'GET', '/nothing'],
  [404, 'GET', '/v1x'],
  [405, 'POST', '/livez'],
])('outside /v1, %i to %s %s must not be stored', async (status, method, path) => {
  const response = await plain.request(method, path, { key: null });
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('vary')).toBeNull();
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});
