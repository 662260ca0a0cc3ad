/** The X-Request-Id of responses, and what the service observes of each request. */
import { describe, expect, spyOn, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';

const service = useService();

const GENERATED = /^request-\d+$/;

async function requestIdOf(path: string, requestId?: string): Promise<string | null> {
  const headers = requestId === undefined ? undefined : { 'X-Request-Id': requestId };
  const options = { key: null, ...(headers && { headers }) };
  return (await service.request('GET', path, options)).headers.get('x-request-id');
}

describe('X-Request-Id', () => {
  test.each(['/livez', '/', '/nothing', '/v1/pets', '/v1/nothing'])(
    'is in the response to %s',
    async (path) => {
      expect(await requestIdOf(path)).toMatch(GENERATED);
    },
  );

  test.each(['a', 'A.b_c-9', 'x'.repeat(128)])('is taken from the request: %s', async (id) => {
    expect(await requestIdOf('/livez', id)).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a,b', 'ä', 'a"b'])('replaces %j', async (id) => {
    expect(await requestIdOf('/livez', id)).toMatch(GENERATED);
  });

  test.each(['production', 'staging'] as const)(
    'replaces a value with an API key of %s, and the key is not logged',
    async (environment) => {
      await using fresh = await startService({ environment });
      const { key } = fresh;
      for (const id of [key, `trace-${key}`, key.slice(0, -1), key.toUpperCase()]) {
        const headers = { 'X-Request-Id': id };
        const response = await fresh.request('GET', '/v1/pets', { headers });
        expect(response.headers.get('x-request-id')).toMatch(GENERATED);
      }
      const observed = JSON.stringify(fresh.observed).toLowerCase();
      expect(observed).toContain('request-0');
      expect(observed).not.toContain(key.slice(0, -1).toLowerCase());
    },
  );
});

describe('each request', () => {
  test('is observed once with its id, method, route, status, duration and key id', async () => {
    await using fresh = await startService();
    await fresh.request('GET', '/v1/pets/7?x=1', { headers: { 'X-Request-Id': 'mine' } });
    await fresh.request('GET', '/v1/private-path', { key: null });
    const ofEach = {
      kind: 'request' as const,
      respondedAtMs: expect.any(Number),
      method: 'GET',
      durationSeconds: expect.any(Number),
      resource: undefined,
      clientAddress: undefined,
      trace: undefined,
      credentialCache: expect.any(Number),
      responseCache: expect.any(Number),
    };
    const index = expect.any(Number);
    const first = { requestId: 'mine', route: '/v1/pets/{petId}', status: 404, keyId: 1 };
    const second = { requestId: 'request-0', route: undefined, status: 401, keyId: undefined };
    expect(fresh.observed).toEqual([
      { ...ofEach, ...first, operationIndex: index },
      { ...ofEach, ...second, operationIndex: -1 },
    ]);
    using _now = spyOn(performance, 'now').mockReturnValue(5_000);
    await fresh.app.fetch(new Request('http://127.0.0.1/livez'), 1_234.5);
    expect(fresh.observed.at(-1)).toMatchObject({ durationSeconds: 3.7655 });
  });

  test.each(['/livez', '/readyz'])(
    'for the health check %s is observed with its route',
    async (path) => {
      await using fresh = await startService();
      await fresh.request('GET', path, { key: null });
      await fresh.request('GET', `${path}/x`, { key: null });
      expect(fresh.observed).toMatchObject([
        { route: path, operationIndex: -1, status: 200 },
        { route: undefined, operationIndex: -1, status: 404 },
      ]);
    },
  );

  test('with a valid key is observed, and counted for its operation, also with a cached response', async () => {
    await using fresh = await startService();
    const cached = Array<string>(4).fill('/v1/pets');
    const paths = [...cached, '/v1/pets?limit=0', '/v1/pets/1', '/v1/nothing'];
    for (const path of paths) await fresh.request('GET', path);
    expect(fresh.observed.filter(({ kind }) => kind === 'request')).toHaveLength(paths.length);
    await fresh.usage.flush();
    const usage = await fresh.database.read.usage.list();
    const calls = usage.map((used) => `${used.operationId} ${used.calls}`);
    expect(calls).toEqual(['getPet 1', 'listPets 5']);
  });
});
