/** The server of the metrics, on a real socket. */
import { expect, test } from 'bun:test';
import type { Observation } from '../../src/observe/observation.ts';
import { serveMetrics } from '../../src/server/metrics-server.ts';
import { exchange } from '../support/socket.ts';

const serve = (metricsHost: string) =>
  serveMetrics(
    { metricsHost, metricsPort: 0 },
    async () => [],
    () => {},
  );

test('a scrape that fails gets 500 without the cause, which is reported', async () => {
  const observed: Observation[] = [];
  const error = new Error('A worker sent no metrics.');
  const server = await serveMetrics(
    { metricsHost: '127.0.0.1', metricsPort: 0 },
    () => Promise.reject(error),
    (observation) => observed.push(observation),
  );
  try {
    const response = await fetch(server?.url ?? '');
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('The metrics cannot be read.\n');
    expect(observed).toEqual([{ kind: 'request_failed', requestId: '', error }]);
  } finally {
    await server?.stop();
  }
});

/** The status of a scrape of a server on an address, with a Host header. */
async function scrape(metricsHost: string, host: string): Promise<number> {
  const server = await serve(metricsHost);
  try {
    const response = await fetch(server?.url ?? '', { headers: { Host: host } });
    const text = await response.text();
    expect(/^[^\n]*host[^\n]*\n$/i.test(text)).toBe(response.status !== 200);
    return response.status;
  } finally {
    await server?.stop();
  }
}

test.each([
  'localhost',
  'LOCALHOST:9464',
  'store.localhost:80',
  '127.0.0.1',
  '127.0.0.1:9464',
  '[::1]:9464',
  '10.1.2.3',
])('on a loopback address, a scrape with the host %s succeeds', async (host) =>
  expect(await scrape('127.0.0.1', host)).toBe(200),
);

test.each([
  'evil.example',
  'evil.example:9464',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evillocalhost',
  '',
])(
  'on a loopback address, a page with the host %j that resolves to it reads nothing',
  async (host) => expect(await scrape('127.0.0.1', host)).toBe(421),
);

// URLs of browsers do not allow the last two.
test.each(['store.example:9464', 'store', '10.1.2.3', '256.1.1.1', '[v1.a]'])(
  'on another address, a scrape may use any host, such as %s',
  async (host) => expect(await scrape('0.0.0.0', host)).toBe(200),
);

test.each(['127.0.0.1:65536', '[::1', 'a b'])(
  'on any address, a scrape with the invalid host %s gets 400 and one sentence',
  async (host) => {
    for (const address of ['127.0.0.1', '0.0.0.0']) expect(await scrape(address, host)).toBe(400);
  },
);

test('a scrape by HTTP/1.0 without a host succeeds', async () => {
  const server = await serve('127.0.0.1');
  try {
    const response = await exchange(Number(new URL(server?.url ?? '').port), [
      'GET /metrics HTTP/1.0\r\n\r\n',
    ]);
    expect(response).toStartWith('HTTP/1.1 200');
  } finally {
    await server?.stop();
  }
});
