/** What every answer carries: how it may be cached, and what a browser may make of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type RequestOptions, startService, type TestService } from '../../support/service.ts';

const ORIGIN = 'https://shop.example';
const REX = { name: 'Rex', categoryId: 1 };

let plain: TestService;
let shared: TestService;
let limited: TestService;
let failing: TestService;
beforeAll(async () => {
  plain = await startService({ rules: { requireIfMatch: true } });
  shared = await startService({ rules: { corsOrigins: [ORIGIN] } });
  limited = await startService({ rules: { rateLimit: { quota: 1, windowSeconds: 60 } } });
  failing = await startService({
    wrap: (database) => ({
      ...database,
      read: {
        ...database.read,
        pets: {
          ...database.read.pets,
          list: () => {
            throw new Error('broken');
          },
        },
      },
    }),
  });
  await limited.request('GET', '/v1/pets');
  for (const service of [plain, plain, shared]) await service.addPet(REX);
});
afterAll(() => Promise.all([plain, shared, limited, failing].map((service) => service.close())));

type Case = readonly [number, string, string, RequestOptions];

/** One answer of each status. */
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

describe('how an answer below /v1 may be cached', () => {
  const expectPrivate = ({ headers }: { readonly headers: Headers }) => {
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('Authorization');
  };

  test.each(CASES)(
    '%i of %s %s: only by the client itself, which asks again, and for this credential alone',
    async (status, method, path, options) => {
      const answer = await plain.request(method, path, options);
      expect(answer.status).toBe(status);
      expectPrivate(answer);
    },
  );

  test('is the same where a request is refused for a limit, or fails', async () => {
    const refused = await limited.request('GET', '/v1/pets');
    expect(refused.status).toBe(429);
    expectPrivate(refused);
    const failed = await failing.request('GET', '/v1/pets');
    expect(failed.status).toBe(500);
    expectPrivate(failed);
  });

  test('is the same when the answer is given again from memory', async () => {
    for (let time = 0; time < 4; time += 1)
      expectPrivate(await plain.request('GET', '/v1/pets?limit=3'));
  });

  test('is: not at all, where it holds a new key', async () => {
    const created = await plain.request('POST', '/v1/api-keys', { body: NEW_KEY });
    const { id } = created.json as { id: number };
    const body = { gracePeriodSeconds: 0 };
    const rotated = await plain.request('POST', `/v1/api-keys/${id}/rotate`, { body });
    for (const { status, headers } of [created, rotated]) {
      expect(status).toBe(201);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('vary')).toBe('Authorization');
    }
  });

  test('is: not at all, where a new key is told again for an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    await plain.request('POST', '/v1/api-keys', { body: NEW_KEY, headers });
    const again = await plain.request('POST', '/v1/api-keys', { body: NEW_KEY, headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('cache-control')).toBe('no-store');
    expect(again.headers.get('vary')).toBe('Authorization');
  });

  test('depends on the origin too where CORS is configured, in one Vary header', async () => {
    // More than twice, so that one of them comes from memory.
    for (const origin of [ORIGIN, 'https://evil.example'])
      for (const key of [shared.key, 'wrong'])
        for (let time = 0; time < 3; time += 1) {
          const headers = { Authorization: `Bearer ${key}`, Origin: origin };
          const answer = await shared.app.fetch(new Request('http://x/v1/pets', { headers }));
          expect(answer.headers.get('cache-control')).toBe('private, no-cache');
          expect(answer.headers.get('vary')).toBe('Authorization, Origin');
        }
  });
});

describe('how an answer outside /v1 may be cached', () => {
  test.each(['/openapi.json', '/docs'])(
    '%s: by anyone, and it is asked for again',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await plain.request(method, path, { key: null });
        expect(headers.get('cache-control')).toBe('no-cache');
        expect(headers.get('vary')).toBeNull();
      }
    },
  );

  test.each([
    [200, 'GET', '/livez'],
    [200, 'HEAD', '/readyz'],
    [404, 'GET', '/nothing'],
    [404, 'GET', '/v1x'],
    [405, 'POST', '/docs'],
  ])('%i of %s %s: not at all', async (status, method, path) => {
    const answer = await plain.request(method, path, { key: null });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('vary')).toBeNull();
  });

  test('/readyz while the service stops: not at all', async () => {
    plain.stopping = true;
    const answer = await plain.request('GET', '/readyz', { key: null });
    plain.stopping = false;
    expect(answer.status).toBe(503);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('a browser', () => {
  test.each([
    ...CASES,
    [200, 'GET', '/docs', {}],
    [200, 'GET', '/openapi.json', {}],
    [200, 'GET', '/livez', {}],
    [404, 'GET', '/nothing', {}],
  ] as readonly Case[])(
    'does not guess the type of the content: %i of %s %s',
    async (_status, method, path, options) => {
      const { headers } = await plain.request(method, path, options);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  test('does not guess it where an answer is a preflight or a failure', async () => {
    const preflight = await shared.app.fetch(
      new Request('http://127.0.0.1/v1/pets', {
        method: 'OPTIONS',
        headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' },
      }),
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('x-content-type-options')).toBe('nosniff');
    const { headers } = await failing.request('GET', '/v1/pets');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('loads nothing for /docs and applies its own style alone', async () => {
    const { headers, text } = await plain.request('GET', '/docs', { key: null });
    const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style);
    expect(styles).toHaveLength(1);
    const hash = createHash('sha256')
      .update(styles[0] ?? '')
      .digest('base64');
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    // What the policy would block: the page has none of it.
    expect(text).not.toMatch(/<(?:script|link|img|iframe|form|base)\b|\s(?:style|on\w+)=/i);
  });

  test('tells no other site that somebody comes from /docs', async () => {
    const { headers } = await plain.request('GET', '/docs', { key: null });
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});
