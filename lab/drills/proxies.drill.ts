/** The files of deploy/ for nginx and HAProxy, with these programs of Debian. */
import { describe, expect, test } from 'bun:test';
import { StreamReader } from '../../test/support/event-stream.ts';
import { bearer, parseLog, until } from '../../test/support/process.ts';
import { accepting, add, drillsOf, find, NAMES, REX, withProxy } from './proxies.ts';

const REQUESTS = 300;

/** Other spellings of /v1/api-keys that the service or a proxy could read as this path. */
const SPELLINGS = [
  '/v1\\api-keys',
  '/v1%5capi-keys',
  '/x\\..\\v1/api-keys',
  '/x/../v1/api-keys',
  '/x/%2e%2e/v1/api-keys',
  '/x/.%2E/v1/api-keys',
  '/v1/./api-keys',
  '/v1/%61pi-keys',
  '/v1/api%2dkeys',
  '/v1/api-keys#x',
  'http://localhost/v1\\api-keys',
];

describe.each(NAMES.map((name) => [name] as const))('%s', (name) => {
  const { drill, isMissing } = drillsOf(name);

  drill('passes a path with a colon, and a body of 1 MiB', async (proxy) => {
    const text = JSON.stringify({ pets: Array.from({ length: 1_000 }, () => REX) });
    const response = await proxy.fetch('/v1/pet-batches', {
      method: 'POST',
      headers: { ...bearer(proxy.key).headers, 'Content-Type': 'application/json' },
      body: text.padEnd(1024 * 1024),
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toHaveLength(1_000);
  });

  drill('passes requests, errors and the address of the client', async (proxy) => {
    const statuses = new Map<number, number>();
    for (let count = 0; count < REQUESTS; count += 1) {
      const response =
        count % 2 === 0 ? await add(proxy, REX) : await proxy.fetch('/v1/pets', bearer(proxy.key));
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [201, REQUESTS / 2],
      [200, REQUESTS / 2],
    ]);
    // More than the service accepts, and less than the proxy refuses: the error is that of the service.
    const large = await add(proxy, { name: 'x'.repeat(1_500_000), categoryId: 1 });
    expect([large.status, await large.json()]).toMatchObject([413, { code: 'content_too_large' }]);
    const headers = { ...bearer(proxy.key).headers, 'X-Forwarded-For': '203.0.113.7' };
    expect((await proxy.fetch('/v1/pets', { headers })).status).toBe(200);
    const outcomes = await Promise.all(proxy.services.map((service) => service.stop()));
    const lines = outcomes.flatMap(({ stdout }) => parseLog(stdout));
    const requests = lines.filter((line) => line['http.route'] === '/v1/pets');
    expect(requests).toHaveLength(REQUESTS + 2);
    expect([...new Set(requests.map((line) => line['client.address']))]).toEqual(['127.0.0.1']);
  });

  drill('redirects http to https, which browsers then use alone', async (proxy) => {
    const redirect = await fetch(`${proxy.plain}/v1/pets?limit=1`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Host: 'evil.example' },
    });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      308,
      'https://store.example/v1/pets?limit=1',
    ]);
    for (const path of ['/livez', '/v1/pets', '/nowhere']) {
      const { headers } = await proxy.fetch(path);
      expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
    }
    const refused = await proxy.send(['GET /v1\\pets HTTP/1.1', 'Host: localhost', '']);
    expect(refused).toMatch(/^HTTP\/1.1 400 .*strict-transport-security: max-age=31536000/is);
  });

  test.skipIf(isMissing)('forbids a path in each spelling that the service understands', () =>
    withProxy(
      name,
      async ({ send, key, fetch }) => {
        const statuses: string[] = [];
        for (const path of ['/v1/api-keys', ...SPELLINGS]) {
          const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
          const response = await send([...head, 'Connection: close', '']);
          statuses.push(`${path} ${response.split(' ')[1]}`);
        }
        expect(statuses).toEqual(['/v1/api-keys 403', ...SPELLINGS.map((path) => `${path} 400`)]);
        // A query may contain what a path may not.
        const query = await fetch('/v1/pets?x=%2e%5c/../&status=sold', bearer(key));
        expect(query.status).toBe(200);
      },
      { forbids: true },
    ),
  );

  drill('closes a connection on which the head of a request arrives slowly', async (proxy) => {
    await proxy.send(['GET /v1/slow HTTP/1.1', 'Host: localhost'], 'X-A: b\r\n');
    const outcomes = await Promise.all(proxy.services.map((service) => service.stop()));
    expect(outcomes.map(({ stdout }) => stdout).join()).not.toContain(
      '"http.response.status_code":404',
    );
  });

  drill('passes the events of a stream as they happen, and its end', async (proxy) => {
    const reader = new StreamReader(
      await proxy.fetch('/v1/events/stream', { headers: accepting(proxy) }),
    );
    expect(reader.response.headers.get('content-encoding')).toBeNull();
    // More than a proxy collects, and then a single one.
    const animals = 500;
    const pets = Array.from({ length: animals }, () => REX);
    await until(() => reader.lastId !== undefined);
    await proxy.fetch('/v1/pet-batches', {
      method: 'POST',
      headers: { ...bearer(proxy.key).headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ pets }),
    });
    await until(() => reader.events.length === animals);
    await add(proxy, REX);
    await until(() => reader.events.length === animals + 1);
    for (const service of proxy.services) service.signal('SIGTERM');
    expect(await reader.ended).toBeUndefined();
  });

  drill('logs the paths of requests, and no query', async (proxy) => {
    await proxy.fetch('/v1/pets?status=secret', bearer(proxy.key));
    await proxy.fetch('/v1/pets/7?x=secret', bearer(proxy.key));
    await fetch(`${proxy.plain}/v1/pets?x=secret`, { redirect: 'manual' });
    await proxy.send([
      'GET /v1\\pets?x=secret HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      '',
    ]);
    const log = () => proxy.log().replaceAll('\\x5C', '\\');
    // HAProxy writes a line after it has closed the connection.
    await until(() => log().includes('GET /v1\\pets'));
    for (const text of ['GET /v1/pets ', 'GET /v1/pets/7 ']) expect(log()).toContain(text);
    expect(proxy.log()).not.toContain('secret');
  });
});

test.skipIf(find('nginx') === null)(
  'nginx closes a connection on which a body stops, and passes nothing on',
  () =>
    withProxy('nginx', async (proxy) => {
      const head = ['POST /v1/pets HTTP/1.1', 'Host: localhost', 'Content-Length: 40'];
      await proxy.send([...head, `Authorization: Bearer ${proxy.key}`, '', '{"name":']);
      const outcomes = await Promise.all(proxy.services.map((service) => service.stop()));
      expect(outcomes.map(({ stdout }) => stdout).join()).not.toContain('createPet');
      expect(outcomes.map(({ stdout }) => stdout).join()).not.toContain('"POST"');
    }),
);
