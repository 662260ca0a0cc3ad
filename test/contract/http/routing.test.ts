/** The rules of the router, also for routes that the service does not have. */
import { describe, expect, test } from 'bun:test';
import type { Operation } from '../../../src/http/contract/operation.ts';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { createContext } from '../../../src/http/request/context.ts';
import { createRouter } from '../../../src/http/routing/router.ts';

const clock = { now: () => 0 };
const RULES = { clock, requireIfMatch: false, entityTags: false, keepOpen: () => {} };

/** The operation of a request, or the status and Allow if there is none. */
async function routed(routes: readonly string[], request: string) {
  const operations = routes.map((route) => {
    const [method = '', path = ''] = route.split(' ');
    const operation: Operation = {
      id: route,
      method: method.toLowerCase() as Operation['method'],
      path,
      tag: 'Test',
      summary: route,
      description: route,
      scope: 'pets:read',
      responses: { 200: { description: route } },
      errors: [],
    };
    const handle = () => ({ status: 200, body: route });
    return { operation, usedReaders: new Set<string>(), handle };
  });
  const [method = '', path = ''] = request.split(' ');
  const sent = new Request(`http://store.test/v1${path}`, { method });
  const ctx = createContext(sent, 0, () => 'request');
  ctx.principal = { keyId: 1, scopes: new Set(SCOPES), expiresAtMs: Number.POSITIVE_INFINITY };
  const handle = createRouter(operations, 'http://store.test/v1', RULES);
  const response = await handle(sent, ctx);
  const allow = response.headers.get('allow');
  return response.status === 200 ? await response.json() : `${response.status} ${allow ?? ''}`;
}

describe('a literal segment and a parameter in the same position', () => {
  const routes = ['GET /pets/{petId}', 'DELETE /pets/{petId}', 'POST /pets/batch'];

  test('can have different methods', async () => {
    expect(await routed(routes, 'POST /pets/batch')).toBe('POST /pets/batch');
    expect(await routed(routes, 'GET /pets/batch')).toBe('GET /pets/{petId}');
    expect(await routed(routes, 'DELETE /pets/batch')).toBe('DELETE /pets/{petId}');
    expect(await routed(routes, 'GET /pets/7')).toBe('GET /pets/{petId}');
  });

  test('return 405 for other methods, with those of both in Allow', async () => {
    expect(await routed(routes, 'PUT /pets/batch')).toBe('405 GET, HEAD, POST, DELETE');
    expect(await routed(routes, 'PUT /pets/7')).toBe('405 GET, HEAD, DELETE');
  });

  test('match the literal if both have the method', async () => {
    const both = ['GET /pets/{petId}', 'GET /pets/new'];
    expect(await routed(both, 'GET /pets/new')).toBe('GET /pets/new');
    expect(await routed(both, 'GET /pets/newer')).toBe('GET /pets/{petId}');
  });

  test('match the parameter if only it has the rest of the path', async () => {
    const deep = ['POST /keys/current', 'POST /keys/{keyId}/rotate'];
    expect(await routed(deep, 'POST /keys/current/rotate')).toBe('POST /keys/{keyId}/rotate');
    expect(await routed(deep, 'GET /keys/current/rotate')).toBe('405 POST');
    expect(await routed(deep, 'POST /keys/current/other')).toBe('404 ');
  });
});

test.each(['GET /pets/', 'GET //pets', 'GET /pets//', 'GET /pet', 'GET /pets/1/', 'GET /'])(
  '%s matches no route',
  async (request) => {
    expect(await routed(['GET /pets', 'GET /pets/{petId}'], request)).toBe('404 ');
  },
);
