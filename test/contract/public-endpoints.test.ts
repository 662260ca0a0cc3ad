/** Outside /v1: health and documentation, without a credential. And what every answer carries. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import document from '../../openapi.json' with { type: 'json' };
import type { OpenApiDocument } from '../../src/http/document/openapi.ts';
import { createContext } from '../../src/http/request/context.ts';
import { publicEndpoints } from '../../src/http/routing/public-endpoints.ts';
import { StorageError } from '../../src/storage/database.ts';
import { BASE_URLS, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const open = (path: string, headers: Record<string, string> = {}) =>
  service.request('GET', path, { key: null, headers });

describe('health', () => {
  test('/livez and /readyz are 200 while the service works', async () => {
    expect((await open('/livez')).json).toEqual({ status: 'ok' });
    expect((await open('/readyz')).json).toEqual({ status: 'ok' });
  });

  test('/readyz is 503 once the service was told to stop; /livez stays 200', async () => {
    service.stopping = true;
    expect((await open('/readyz')).json).toMatchObject({ code: 'unavailable', status: 503 });
    expect((await open('/livez')).status).toBe(200);
    service.stopping = false;
  });

  test('/readyz is 503 while the storage does not answer; /livez stays 200', async () => {
    const broken = await startService({
      wrap: (database) => ({
        ...database,
        ping: () => {
          throw new StorageError('unavailable', 'gone');
        },
      }),
    });
    expect((await broken.request('GET', '/readyz')).status).toBe(503);
    expect((await broken.request('GET', '/livez')).status).toBe(200);
    await broken.close();
  });
});

describe('the OpenAPI document', () => {
  test('at /openapi.json is the committed one, with the configured base addresses', async () => {
    const { json } = await open('/openapi.json');
    const servers = [
      { url: BASE_URLS.production, description: 'Production' },
      { url: BASE_URLS.staging, description: 'Staging' },
    ];
    expect(json).toEqual({ ...document, servers });
  });

  test('is made once, however often anybody asks', async () => {
    let made = 0;
    const answer = publicEndpoints({
      ping() {},
      isStopping: () => false,
      document() {
        made += 1;
        return document as unknown as OpenApiDocument;
      },
      docsPage: () => ({ html: '', headers: {} }),
    });
    for (const path of ['/openapi.json', '/openapi.json', '/openapi.json']) {
      const request = new Request(`http://x${path}`);
      expect(
        (
          await answer(
            request,
            createContext(request, 0, () => 'x'),
          )
        ).status,
      ).toBe(200);
    }
    expect(made).toBe(1);
  });

  test('asks the bearer credential of every operation', () => {
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes.apiKey).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
    expect(JSON.stringify(document.paths)).not.toContain('"security"');
  });

  test('has the specified operations without a stability mark, and getPet deprecated with its sunset', () => {
    const { get: listPets, post: createPet } = document.paths['/pets'];
    const { get: getPet } = document.paths['/pets/{petId}'];
    expect([listPets, createPet, getPet].map(({ operationId }) => operationId)).toEqual([
      'listPets',
      'createPet',
      'getPet',
    ]);
    expect(getPet).toMatchObject({
      deprecated: true,
      'x-deprecated-sunset': '2030-12-05',
      'x-sunset': '2030-12-05',
    });
    for (const operation of [listPets, createPet, getPet])
      expect(operation).not.toHaveProperty('x-stability');
  });

  test('has the parameters of listPets as specified, and marks ours as beta', () => {
    const parameters = Object.fromEntries(
      document.paths['/pets'].get.parameters.map((parameter) => [parameter.name, parameter]),
    );
    expect(parameters['limit']?.schema).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
    });
    expect(parameters['limit']?.required).toBe(false);
    expect(parameters['status']).toMatchObject({
      required: false,
      schema: { $ref: '#/components/schemas/PetStatus' },
    });
    expect(document.components.schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold']);
    for (const name of ['cursor', 'id']) {
      expect(parameters[name]).toMatchObject({
        required: false,
        'x-stability': 'beta',
        'x-stability-level': 'beta',
      });
    }
  });

  test('has NewPet, Pet and Error as specified', () => {
    const { NewPet, Pet, Error: ErrorBody } = document.components.schemas;
    expect(NewPet.required).toEqual(['name', 'categoryId']);
    expect(Pet.required).toEqual(['id', 'name', 'categoryId']);
    expect(Pet.properties.id).toMatchObject({ type: 'integer', format: 'int64' });
    expect(Pet.properties.categoryId).toMatchObject({ type: 'integer', format: 'int64' });
    expect(ErrorBody.required).toEqual(['code', 'message', 'status']);
    expect(Object.keys(ErrorBody.properties)).toEqual(['code', 'message', 'status']);
  });
});

describe('every answer', () => {
  test.each(['/livez', '/docs', '/nothing', '/v1/pets', '/v1/nothing'])(
    '%s carries an X-Request-Id',
    async (path) => {
      expect((await open(path)).headers.get('x-request-id')).toMatch(/^request-\d+$/);
    },
  );

  test.each(['a', 'A.b_c-9', 'x'.repeat(128)])(
    "carries the caller's own id, if it is harmless: %s",
    async (id) => {
      expect((await open('/livez', { 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id);
    },
  );

  test.each(['', 'x'.repeat(129), 'a b', 'a,b', 'ä', 'a"b'])(
    'carries an id of ours instead of %j',
    async (id) => {
      expect((await open('/livez', { 'X-Request-Id': id })).headers.get('x-request-id')).toMatch(
        /^request-\d+$/,
      );
    },
  );

  test.each(['production', 'staging'] as const)(
    'carries an id of ours instead of one with a key of %s in it, and the key reaches no log',
    async (environment) => {
      const fresh = await startService({ environment });
      const ids = [
        fresh.key,
        `trace-${fresh.key}`,
        fresh.key.slice(0, -1),
        fresh.key.toUpperCase(),
      ];
      for (const id of ids) {
        const { headers } = await fresh.request('GET', '/v1/pets', {
          headers: { 'X-Request-Id': id },
        });
        expect(headers.get('x-request-id')).toMatch(/^request-\d+$/);
      }
      const seen = JSON.stringify(fresh.observed).toLowerCase();
      expect(seen).toContain('request-0');
      expect(seen).not.toContain(fresh.key.slice(0, -1).toLowerCase());
      await fresh.close();
    },
  );

  test('is observed once, with time taken, method, route, status and key id', async () => {
    const fresh = await startService();
    await fresh.request('GET', '/v1/pets/7?x=1', { headers: { 'X-Request-Id': 'mine' } });
    await fresh.request('GET', '/v1/private-path', { key: null });
    expect(fresh.observed).toEqual([
      {
        kind: 'request',
        requestId: 'mine',
        method: 'GET',
        route: '/v1/pets/{petId}',
        status: 404,
        durationSeconds: expect.any(Number),
        keyId: 1,
      },
      {
        kind: 'request',
        requestId: 'request-0',
        method: 'GET',
        route: undefined,
        status: 401,
        durationSeconds: expect.any(Number),
        keyId: undefined,
      },
    ]);
    await fresh.close();
  });

  test('to a key is counted for its operation', async () => {
    const fresh = await startService();
    for (const path of ['/v1/pets', '/v1/pets?limit=0', '/v1/pets/1', '/v1/nothing'])
      await fresh.request('GET', path);
    await fresh.usage.flush();
    const usage = await fresh.database.read.usage.list();
    expect(usage.map(({ operationId, calls }) => [operationId, calls])).toEqual([
      ['getPet', 1],
      ['listPets', 2],
    ]);
    await fresh.close();
  });
});
