/** CORS: only pages of the configured origins may read responses. */
import { describe, expect, spyOn, test } from 'bun:test';
import { type TestService, useService } from '../../support/service.ts';

const SHOP = 'https://shop.example';
const DESK = 'http://localhost:5173';
const OTHER_ORIGINS = [
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

const options = { corsOrigins: [SHOP, DESK] };
const closed = useService();
const open = useService({ options });

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
const varyOf = ({ headers }: Response) => headers.get('vary')?.split(', ') ?? [];
const accessHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const listed = (response: Response, name: string) =>
  (response.headers.get(name) ?? '').split(',').map((part) => part.trim().toLowerCase());

describe('without configured origins', () => {
  test('responses have no CORS headers, and do not vary by origin', async () => {
    for (const path of ['/v1/pets', '/v1/nothing', '/livez']) {
      const response = await send(closed, 'GET', path, { Origin: SHOP });
      expect(accessHeaders(response)).toEqual([]);
      expect(varyOf(response)).not.toContain('Origin');
    }
  });

  test('a preflight is 401 without a credential and 405 with one', async () => {
    const response = await preflight(closed, '/v1/pets', SHOP);
    expect(response.status).toBe(401);
    expect(accessHeaders(response)).toEqual([]);
    const headers = { Origin: SHOP, ...PREFLIGHT };
    expect((await send(closed, 'OPTIONS', '/v1/pets', headers)).status).toBe(405);
  });
});

describe('a preflight from a configured origin', () => {
  test.each(['/v1/pets', '/v1/pets/1', '/v1/nothing', '/v1', '/nothing', '/livez', '/'])(
    'on %s is 204 without a credential',
    async (path) => {
      for (const origin of [SHOP, DESK]) {
        const response = await preflight(open, path, origin);
        expect(response.status).toBe(204);
        expect(await response.text()).toBe('');
        expect(response.headers.get('access-control-allow-origin')).toBe(origin);
        // Cookies and other credentials of the browser are not allowed.
        expect(response.headers.get('access-control-allow-credentials')).toBeNull();
        expect(varyOf(response)).toContain('Origin');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );

  test('allows all methods of the service', async () => {
    const response = await preflight(open, '/v1/pets', SHOP);
    expect(listed(response, 'access-control-allow-methods')).toEqual(
      expect.arrayContaining(['get', 'head', 'post', 'put', 'patch', 'delete']),
    );
    expect(response.headers.get('access-control-max-age')).toBe('600');
  });

  test('must have Access-Control-Request-Method: other OPTIONS requests are 401 or 405', async () => {
    expect((await send(open, 'OPTIONS', '/v1/pets', { Origin: SHOP }, null)).status).toBe(401);
    const response = await send(open, 'OPTIONS', '/v1/pets', { Origin: SHOP });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});

test.each(OTHER_ORIGINS)(
  'from another origin, %s, a preflight is 401 without a credential, and no response has CORS headers',
  async (origin) => {
    const refused = await preflight(open, '/v1/pets', origin);
    const response = await send(open, 'GET', '/v1/pets', { Origin: origin });
    expect([refused.status, response.status]).toEqual([401, 200]);
    for (const one of [refused, response, await send(open, 'GET', '/v1/pets', {})]) {
      expect(accessHeaders(one)).toEqual([]);
      expect(varyOf(one)).toContain('Origin');
    }
  },
);

test.each([
  [200, '/v1/pets', 'with'],
  [200, '/livez', 'without'],
  [400, '/v1/pets?limit=0', 'with'],
  [401, '/v1/pets', 'without'],
  [404, '/v1/nothing', 'with'],
  [404, '/nothing', 'without'],
  [500, '/v1/pets?limit=99', 'with'],
] as const)(
  '%d to a configured origin allows only this origin: %s %s a credential',
  async (status, path, credential) => {
    using list = spyOn(open.database.read.pets, 'list');
    if (status === 500)
      list.mockImplementation(() => {
        throw new Error('broken');
      });
    const key = credential === 'with' ? open.key : null;
    const response = await send(open, 'GET', path, { Origin: SHOP }, key);
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(varyOf(response)).toContain('Origin');
  },
);

test('a cached response allows only the origin of its request', async () => {
  const allowedOrigin = async (headers: Record<string, string>) =>
    (await send(open, 'GET', '/v1/pets?limit=7', headers)).headers.get(
      'access-control-allow-origin',
    );
  for (let time = 0; time < 3; time += 1) {
    expect(await allowedOrigin({ Origin: SHOP })).toBe(SHOP);
    expect(await allowedOrigin({ Origin: DESK })).toBe(DESK);
    expect(await allowedOrigin({ Origin: 'https://evil.example' })).toBeNull();
    expect(await allowedOrigin({})).toBeNull();
  }
});
