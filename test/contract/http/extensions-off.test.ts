/** EXTENSIONS=off: the service is exactly the three specified operations, without anything of ours. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import document from '../../../openapi.json' with { type: 'json' };
import type { Pet } from '../../../src/pets/pet.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let animals: readonly Pet[];
beforeAll(async () => {
  service = await startService({ rules: { extensions: false } });
  const [one, two, three] = [
    await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' }),
    await service.addPet({ name: 'Mia', categoryId: 2 }),
    await service.addPet({ name: 'Tom', categoryId: 2, status: 'sold' }),
  ];
  animals = [one, two, three];
});
afterAll(() => service.close());

const SPECIFIED = ['listPets', 'createPet', 'getPet'];
/** Where only the method is ours, with the methods that are specified there. */
const SPECIFIED_PATHS: Readonly<Record<string, string>> = {
  '/pets': 'GET, HEAD, POST',
  '/pets/{petId}': 'GET, HEAD',
};

const every = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId }]) => ({
    operationId,
    path,
    method: method.toUpperCase(),
  })),
);
const ours = every.filter(({ operationId }) => !SPECIFIED.includes(operationId));

/** Past the OpenAPI document, which says what these answer when they are there. */
const sendOurs = async (method: string, path: string, headers: Record<string, string>) => {
  const answer = await service.app.fetch(
    new Request(`http://127.0.0.1/v1${path.replaceAll(/\{\w+\}/g, '1')}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: '{"name":"Max"}' }),
    }),
  );
  return { status: answer.status, headers: answer.headers, json: await answer.json() };
};
const withKey = () => ({ Authorization: `Bearer ${service.key}` });
const list = (query: string, headers: Record<string, string> = {}) =>
  service.request('GET', `/v1/pets?${query}`, { headers });

describe('the operations of ours', () => {
  test('are all but the three specified', () => {
    expect(ours).toHaveLength(every.length - 3);
    expect(ours.length).toBeGreaterThan(0);
  });

  test.each(ours.filter(({ path }) => !(path in SPECIFIED_PATHS)))(
    '$operationId: $method $path is 404 route_not_found',
    async ({ method, path }) => {
      const answer = await sendOurs(method, path, withKey());
      expect(answer.json).toMatchObject({ code: 'route_not_found', status: 404 });
      expect(answer.headers.get('allow')).toBeNull();
    },
  );

  test.each(ours.filter(({ path }) => path in SPECIFIED_PATHS))(
    '$operationId: $method $path is 405 with the specified methods in Allow',
    async ({ method, path }) => {
      const answer = await sendOurs(method, path, withKey());
      expect(answer.json).toMatchObject({ code: 'method_not_allowed', status: 405 });
      expect(answer.headers.get('allow')).toBe(SPECIFIED_PATHS[path] ?? '');
    },
  );

  test('change nothing', async () => {
    for (const { method, path } of ours) await sendOurs(method, path, withKey());
    expect((await list('')).json).toEqual(animals);
  });

  test.each(ours)(
    '$operationId: $method $path says nothing without a credential: 401',
    async ({ method, path }) => {
      const answer = await sendOurs(method, path, {});
      expect(answer.json).toMatchObject({ code: 'credential_missing', status: 401 });
    },
  );
});

/** The query parameters of listPets that the specification does not show. */
const OUR_PARAMETERS = document.paths['/pets'].get.parameters
  .filter((parameter) => parameter.in === 'query' && !['limit', 'status'].includes(parameter.name))
  .map(({ name }) => name);

describe('the parameters of ours', () => {
  test.each(OUR_PARAMETERS)('%s is ignored, whatever its value is', async (name) => {
    const values = [
      '2',
      'abc',
      '',
      '99999999999999999999',
      'AAAAAAAAAAAAAAAA',
      '%00',
      `1&${name}=2`,
    ];
    for (const value of values) {
      const answer = await list(`${name}=${value}`);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(animals);
    }
  });

  test.each(OUR_PARAMETERS)('%s is unknown to Prefer: handling=strict', async (name) => {
    const answer = await list(`${name}=1`, { Prefer: 'handling=strict' });
    expect(answer.json).toMatchObject({ message: `${name}: is not a known parameter.` });
  });

  test('leave those that are specified as they are', async () => {
    expect((await list('limit=1&cursor=x')).json).toEqual([animals[0]]);
    expect((await list('status=sold&id=1')).json).toEqual([animals[2]]);
    expect((await list('limit=0')).status).toBe(400);
    expect((await list('status=lost')).status).toBe(400);
  });
});

describe('the headers of ours', () => {
  test('no page has a Link to a next one', async () => {
    const answer = await list('limit=1');
    expect(answer.json).toHaveLength(1);
    expect(answer.headers.get('link')).toBeNull();
  });

  test('no answer has an ETag, and If-None-Match is ignored', async () => {
    for (const path of ['/v1/pets', '/v1/pets/1'])
      for (const method of ['GET', 'HEAD']) {
        const headers = { 'If-None-Match': '*' };
        const answer = await service.request(method, path, { headers });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('etag')).toBeNull();
      }
  });

  test.each(['"retry"', 'not a valid key', ''])(
    'Idempotency-Key %j is ignored: each request adds an animal',
    async (key) => {
      const fresh = await startService({ rules: { extensions: false } });
      const headers = { 'Idempotency-Key': key };
      for (const id of [1, 2]) {
        const body = { name: `Rex ${id}`, categoryId: 1 };
        const answer = await fresh.request('POST', '/v1/pets', { headers, body });
        expect(answer.json).toEqual({ id, ...body });
        expect(answer.headers.get('etag')).toBeNull();
        expect(answer.headers.get('idempotency-replayed')).toBeNull();
      }
      await fresh.close();
    },
  );
});

test('the rules about categories and preconditions, which are ours, do not hold', async () => {
  const rules = { extensions: false, requireKnownCategory: true, requireIfMatch: true };
  const fresh = await startService({ rules });
  const body = { name: 'Rex', categoryId: 1 };
  expect((await fresh.request('POST', '/v1/pets', { body })).status).toBe(201);
  await fresh.close();
});

test('getPet says all the same that it is deprecated', async () => {
  const { headers } = await service.request('GET', '/v1/pets/1');
  expect(headers.get('deprecation')).toBe('@1795219200');
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')).toContain('rel="deprecation"');
});
