/** CORS: pages of the configured origins may read answers, and pages of no other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startService, type TestService } from '../../support/service.ts';

const SHOP = 'https://shop.example';
const DESK = 'http://localhost:5173';
const STRANGERS = [
  'https://evil.example',
  'https://shop.example.evil.example',
  'http://shop.example',
  'https://SHOP.example',
  'https://shop.example:8443',
  'null',
  '*',
];
const PREFLIGHT = {
  'Access-Control-Request-Method': 'PATCH',
  'Access-Control-Request-Headers': 'authorization,content-type',
};

let closed: TestService;
let open: TestService;
let broken: TestService;
const list = () => {
  throw new Error('broken');
};
beforeAll(async () => {
  const rules = { corsOrigins: [SHOP, DESK] };
  closed = await startService();
  open = await startService({ rules });
  broken = await startService({
    rules,
    wrap: (database) => ({
      ...database,
      read: { ...database.read, pets: { ...database.read.pets, list } },
    }),
  });
  await open.addPet({ name: 'Rex', categoryId: 1 });
});
afterAll(() => Promise.all([closed.close(), open.close(), broken.close()]));

const send = (
  at: TestService,
  method: string,
  path: string,
  headers: Record<string, string>,
  key: string | null = at.key,
) =>
  at.app.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { ...headers, ...(key === null ? {} : { Authorization: `Bearer ${key}` }) },
    }),
  );
const preflight = (at: TestService, path: string, origin: string) =>
  send(at, 'OPTIONS', path, { Origin: origin, ...PREFLIGHT }, null);
const variesBy = ({ headers }: Response) => headers.get('vary')?.split(', ') ?? [];
const accessHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const listed = (response: Response, name: string) =>
  (response.headers.get(name) ?? '').split(',').map((part) => part.trim().toLowerCase());

describe('without configured origins', () => {
  test('no answer has a header of CORS, and none varies by origin', async () => {
    for (const path of ['/v1/pets', '/v1/nothing', '/livez']) {
      const answer = await send(closed, 'GET', path, { Origin: SHOP });
      expect(accessHeaders(answer)).toEqual([]);
      expect(variesBy(answer)).not.toContain('Origin');
    }
  });

  test('a preflight is a request like any other: 401 without a credential, 405 with one', async () => {
    const answer = await preflight(closed, '/v1/pets', SHOP);
    expect(answer.status).toBe(401);
    expect(accessHeaders(answer)).toEqual([]);
    const headers = { Origin: SHOP, ...PREFLIGHT };
    expect((await send(closed, 'OPTIONS', '/v1/pets', headers)).status).toBe(405);
  });
});

describe('a preflight of a configured origin', () => {
  test.each(['/v1/pets', '/v1/pets/1', '/v1/nothing', '/v1', '/nothing', '/livez', '/'])(
    'on %s is 204 without a credential',
    async (path) => {
      for (const origin of [SHOP, DESK]) {
        const answer = await preflight(open, path, origin);
        expect(answer.status).toBe(204);
        expect(await answer.text()).toBe('');
        expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
        expect(variesBy(answer)).toContain('Origin');
      }
    },
  );

  test('allows every method and every request header that the service understands', async () => {
    const answer = await preflight(open, '/v1/pets', SHOP);
    expect(listed(answer, 'access-control-allow-methods')).toEqual(
      expect.arrayContaining(['get', 'head', 'post', 'put', 'patch', 'delete']),
    );
    expect(listed(answer, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'if-none-match',
        'prefer',
        'x-request-id',
      ]),
    );
    expect(answer.headers.get('access-control-max-age')).toMatch(/^[1-9][0-9]*$/);
  });

  test('does not let browsers send credentials of their own', async () => {
    for (const answer of [
      await preflight(open, '/v1/pets', SHOP),
      await send(open, 'GET', '/v1/pets', { Origin: SHOP }),
    ])
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('is one only with Access-Control-Request-Method: other OPTIONS are as any method', async () => {
    expect((await send(open, 'OPTIONS', '/v1/pets', { Origin: SHOP }, null)).status).toBe(401);
    const answer = await send(open, 'OPTIONS', '/v1/pets', { Origin: SHOP });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});

describe('another origin', () => {
  test.each(STRANGERS)('%s: a preflight is 401 without a credential', async (origin) => {
    const answer = await preflight(open, '/v1/pets', origin);
    expect(answer.status).toBe(401);
    expect(accessHeaders(answer)).toEqual([]);
    expect(variesBy(answer)).toContain('Origin');
  });

  test.each(STRANGERS)(
    '%s: an answer may not be read, nor be cached for others',
    async (origin) => {
      const answer = await send(open, 'GET', '/v1/pets', { Origin: origin });
      expect(answer.status).toBe(200);
      expect(accessHeaders(answer)).toEqual([]);
      expect(variesBy(answer)).toContain('Origin');
    },
  );

  test('none at all: the answer varies by origin all the same', async () => {
    const answer = await send(open, 'GET', '/v1/pets', {});
    expect(accessHeaders(answer)).toEqual([]);
    expect(variesBy(answer)).toContain('Origin');
  });
});

describe('an answer to a configured origin', () => {
  const answers = (): readonly (readonly [number, TestService, string, string | null])[] => [
    [200, open, '/v1/pets', open.key],
    [200, open, '/livez', null],
    [400, open, '/v1/pets?limit=0', open.key],
    [401, open, '/v1/pets', null],
    [404, open, '/v1/nothing', open.key],
    [404, open, '/nothing', null],
    [500, broken, '/v1/pets', broken.key],
  ];

  test('may be read by it alone, be it 200, 400, 401, 404 or 500', async () => {
    for (const [status, at, path, key] of answers()) {
      const answer = await send(at, 'GET', path, { Origin: SHOP }, key);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
      expect(variesBy(answer)).toContain('Origin');
    }
  });

  test('may be read when it is 304 too', async () => {
    const headers = { Origin: DESK, 'If-None-Match': '*' };
    const answer = await send(open, 'GET', '/v1/pets/1', headers);
    expect(answer.status).toBe(304);
    expect(answer.headers.get('access-control-allow-origin')).toBe(DESK);
  });

  test('never names every origin', async () => {
    for (const origin of [SHOP, ...STRANGERS])
      for (const answer of [
        await preflight(open, '/v1/pets', origin),
        await send(open, 'GET', '/v1/pets', { Origin: origin }),
      ])
        for (const name of accessHeaders(answer))
          expect(answer.headers.get(name)).not.toContain('*');
  });
});

test('a reply that is given again from memory lets no other origin in', async () => {
  const ask = async (headers: Record<string, string>) =>
    (await send(open, 'GET', '/v1/pets?limit=7', headers)).headers.get(
      'access-control-allow-origin',
    );
  for (let time = 0; time < 3; time += 1) {
    expect(await ask({ Origin: SHOP })).toBe(SHOP);
    expect(await ask({ Origin: DESK })).toBe(DESK);
    expect(await ask({ Origin: 'https://evil.example' })).toBeNull();
    expect(await ask({})).toBeNull();
  }
});
