/** EXTENSIONS=off: the service has only the three specified operations. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Pet } from '../../../src/pets/pet.ts';
import { DOCUMENT, operationsIn } from '../../support/openapi-document.ts';
import { startService, useService } from '../../support/service.ts';

const service = useService({ options: { extensions: false } });
let animals: readonly Pet[];
beforeAll(async () => {
  const [one, two, three] = [
    await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' }),
    await service.addPet({ name: 'Mia', categoryId: 2 }),
    await service.addPet({ name: 'Tom', categoryId: 2, status: 'sold' }),
  ];
  animals = [one, two, three];
});

const SPECIFIED = ['listPets', 'createPet', 'getPet'];
/** The specified methods of the specified paths. */
const SPECIFIED_PATHS: Readonly<Record<string, string>> = {
  '/pets': 'GET, HEAD, POST',
  '/pets/{petId}': 'GET, HEAD',
};

const documented = operationsIn(DOCUMENT);
const added = documented.filter(({ operationId }) => !SPECIFIED.includes(operationId));

/** Without the check against the OpenAPI document, which describes these operations as they are with extensions. */
const sendAdded = async (method: string, path: string) => {
  const response = await service.app.fetch(
    new Request(`http://127.0.0.1/v1${path.replaceAll(/\{\w+\}/g, '1')}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.key}` },
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: '{"name":"Max"}' }),
    }),
  );
  return { headers: response.headers, json: await response.json() };
};
const list = (query: string, headers: Record<string, string> = {}) =>
  service.request('GET', `/v1/pets?${query}`, { headers });

describe('the added operations', () => {
  test.each(added)(
    '$operationId: $method $path is 404, or 405 with the specified methods in Allow',
    async ({ method, path }) => {
      const { json, headers } = await sendAdded(method, path);
      const allow = SPECIFIED_PATHS[path] ?? null;
      const code = allow === null ? 'route_not_found' : 'method_not_allowed';
      expect(json).toMatchObject({ code, status: allow === null ? 404 : 405 });
      expect(headers.get('allow')).toBe(allow);
    },
  );

  test('change nothing', async () => {
    for (const { method, path } of added) await sendAdded(method, path);
    expect((await list('')).json).toEqual(animals);
  });
});

/** The query parameters of listPets that the specification does not have. */
const ADDED_PARAMETERS = (DOCUMENT.paths['/pets']?.['get']?.parameters ?? [])
  .filter((parameter) => parameter.in === 'query' && !['limit', 'status'].includes(parameter.name))
  .map(({ name }) => name);

describe('the added parameters', () => {
  test.each(ADDED_PARAMETERS)('%s is ignored, whatever its value', async (name) => {
    const values = [
      '2',
      '-id',
      'abc',
      '',
      '99999999999999999999',
      'AAAAAAAAAAAAAAAA',
      '%00',
      `1&${name}=2`,
    ];
    for (const value of values) {
      const response = await list(`${name}=${value}`);
      expect(response.status).toBe(200);
      expect(response.json).toEqual(animals);
    }
  });

  test.each(ADDED_PARAMETERS)('%s is unknown to Prefer: handling=strict', async (name) => {
    const response = await list(`${name}=1`, { Prefer: 'handling=strict' });
    expect(response.json).toMatchObject({ message: `${name}: is not a known parameter` });
  });

  test('do not affect the specified ones', async () => {
    expect((await list('limit=1&cursor=x')).json).toEqual([animals[0]]);
    expect((await list('status=sold&id=1')).json).toEqual([animals[2]]);
    expect((await list('limit=0')).status).toBe(400);
    expect((await list('status=lost')).status).toBe(400);
  });
});

describe('the added headers', () => {
  test('a page has no Link to the next one', async () => {
    const response = await list('limit=1');
    expect(response.json).toHaveLength(1);
    expect(response.headers.get('link')).toBeNull();
  });

  test.each(['"other"', '*', 'tag'])(
    'a response has no ETag, and If-Match and If-None-Match are ignored: %s',
    async (value) => {
      const headers = { 'If-Match': value, 'If-None-Match': value };
      for (const response of [
        await service.request('GET', '/v1/pets', { headers }),
        await service.request('HEAD', '/v1/pets/1', { headers }),
      ])
        expect([response.status, response.etag]).toEqual([200, '']);
    },
  );

  test.each(['"retry"', 'not a valid key', ''])(
    'Idempotency-Key %j is ignored: each request adds an animal',
    async (key) => {
      await using fresh = await startService({ options: { extensions: false } });
      const headers = { 'Idempotency-Key': key };
      for (const id of [1, 2]) {
        const body = { name: `Rex ${id}`, categoryId: 1 };
        const response = await fresh.request('POST', '/v1/pets', { headers, body });
        expect(response.json).toEqual({ id, ...body });
        expect(response.headers.get('etag')).toBeNull();
        expect(response.headers.get('idempotency-replayed')).toBeNull();
      }
    },
  );
});

test('REQUIRE_KNOWN_CATEGORY and REQUIRE_IF_MATCH have no effect', async () => {
  const options = { extensions: false, requireKnownCategory: true, requireIfMatch: true };
  await using fresh = await startService({ options });
  const body = { name: 'Rex', categoryId: 1 };
  expect((await fresh.request('POST', '/v1/pets', { body })).status).toBe(201);
});
