/** Metrics for Prometheus, of a real process. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { METRICS, type MetricDeclaration } from '../../src/observe/metrics/catalogue.ts';
import { createMetrics } from '../../src/observe/metrics/metrics.ts';
import { tcpConnections } from '../../src/observe/metrics/tcp-connections.ts';
import { serveMetrics } from '../../src/server/metrics-server.ts';
import { MAX_WRITES } from '../../src/storage/sqlite/transactions/batch.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { spawnGuarded } from '../support/guard.ts';
import { type Scrape, scrape } from '../support/metrics.ts';
import { bearer, postPet, startService, until, workplace } from '../support/process.ts';
import { SIGNAL_PAUSE_MS } from './children.ts';

const METRICS_FLAGS = ['--metrics-port', '0'];
const REX = { name: 'Rex', categoryId: 1 };

const get = (origin: string, path: string, key: string, method = 'GET') =>
  fetch(`${origin}${path}`, { method, ...bearer(key) });

/** Expects of each metric the type and the labels that docs/telemetry.md names, and a conventional name. */
function expectDeclared({ series, types }: Scrape): void {
  const declared: Readonly<Record<string, MetricDeclaration>> = METRICS;
  for (const [name, type] of types) expect(type).toBe(declared[name]?.type ?? `no ${name}`);
  for (const { name, labels } of series) {
    const metric = declared[name] ?? declared[name.replace(/_(?:bucket|sum|count)$/, '')];
    const names = Object.keys(labels).filter((label) => label !== 'le');
    expect(names).toEqual([...(metric?.labels ?? ['none'])]);
  }
  for (const [name, { type }] of Object.entries(declared)) {
    expect(name).toMatch(/^(?:animal_store|process)_[a-z_]+$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  }
}

test('requests are counted by operation, method and status, with their durations, on a port of their own', async () => {
  using place = workplace();
  await using service = await startService(place.database, METRICS_FLAGS);
  const { origin, firstKey: key = '' } = service;
  expect((await postPet(origin, key, REX)).status).toBe(201);
  await get(origin, '/v1/pets/1', key);
  await get(origin, '/v1/pets/1', key, 'HEAD');
  await get(origin, '/v1/pets/99', key);
  await get(origin, '/v1/nothing', key);
  await get(origin, '/livez', key);
  const scraped = await scrape(service);
  const { sum, text } = scraped;
  expect(text).not.toContain('ask_live_');
  expectDeclared(scraped);
  for (const [operation, method, status] of [
    ['createPet', 'POST', '201'],
    ['getPet', 'GET', '200'],
    ['getPet', 'HEAD', '200'],
    ['getPet', 'GET', '404'],
    ['none', 'GET', '404'],
    ['none', 'GET', '200'],
  ] as const)
    expect(sum('animal_store_http_requests_total', { operation, method, status })).toBe(1);
  expect(sum('animal_store_deprecated_requests_total', { operation: 'getPet' })).toBe(3);
  const duration = 'animal_store_http_request_duration_seconds';
  expect(sum(`${duration}_bucket`, { operation: 'getPet', le: '+Inf' })).toBe(3);
  expect(sum(`${duration}_sum`, { operation: 'getPet' })).toBeGreaterThan(0);
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
});

test('lookups in caches, refused credentials and rate limits are counted', async () => {
  using place = workplace();
  const flags = [...METRICS_FLAGS, '--rate-limit', '4/60s'];
  await using service = await startService(place.database, flags);
  const { origin, firstKey: key = '' } = service;
  for (let time = 0; time < 4; time += 1) await get(origin, '/v1/pets', key);
  for (let time = 0; time < 5; time += 1) await get(origin, '/v1/pets', 'short');
  for (let time = 0; time < 2; time += 1) await get(origin, '/v1/pets', key);
  const { sum } = await scrape(service);
  expect(sum('animal_store_cache_misses_total', { cache: 'response' })).toBe(2);
  expect(sum('animal_store_cache_hits_total', { cache: 'response' })).toBe(2);
  expect(sum('animal_store_cache_misses_total', { cache: 'credential' })).toBe(1);
  expect(sum('animal_store_cache_hits_total', { cache: 'credential' })).toBe(5);
  expect(sum('animal_store_credentials_refused_total', { reason: 'malformed' })).toBe(5);
  expect(sum('animal_store_rate_limit_refusals_total')).toBe(2);
});

test('writes, the process and open connections are measured', async () => {
  using place = workplace();
  await using service = await startService(place.database, METRICS_FLAGS);
  const { origin, firstKey: key = '' } = service;
  const before = await scrape(service);
  await Promise.all(Array.from({ length: 10 }, () => postPet(origin, key, REX)));
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  await until(() => socket.readyState === 'open');
  await until(async () => {
    const { sum } = await scrape(service);
    return Number(sum('animal_store_event_loop_lag_seconds_count')) > 0;
  });
  const { sum } = await scrape(service);
  socket.destroy();
  const batches = 'animal_store_write_batch';
  expect((sum(`${batches}_size_sum`) ?? 0) - (before.sum(`${batches}_size_sum`) ?? 0)).toBe(10);
  // No transaction has more writes.
  const most = sum(`${batches}_size_bucket`, { le: `${MAX_WRITES}` });
  expect(most).toBe(sum(`${batches}_size_count`));
  expect(sum(`${batches}_duration_seconds_sum`)).toBeGreaterThan(0);
  expect(sum('animal_store_sqlite_wal_bytes')).toBeGreaterThan(0);
  expect(sum('process_open_fds')).toBeGreaterThan(3);
  expect(sum('process_max_fds')).toBeGreaterThan(sum('process_open_fds') ?? 0);
  expect(sum('animal_store_http_connections')).toBeGreaterThan(0);
  expect(sum('animal_store_database_up')).toBe(1);
});

test('the metrics have one path, and two formats', async () => {
  const build = { version: '1.0.0', commit: '0123456789ab', schemaVersion: 5 };
  const metrics = createMetrics({ build, operations: [] });
  const server = await serveMetrics(
    { metricsHost: '127.0.0.1', metricsPort: 0 },
    async () => [await metrics.collect()],
    () => {},
  );
  const url = server?.url ?? '';
  expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  const plain = await fetch(url);
  expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await plain.text()).toContain('# TYPE animal_store_http_requests_total counter\n');
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
  const open = await fetch(url, { headers: { accept } });
  const type = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
  expect(open.headers.get('content-type')).toBe(type);
  for (const { headers } of [plain, open]) expect(headers.get('vary')).toBe('Accept');
  const text = await open.text();
  expect(text).toEndWith('\n# EOF\n');
  expect(text).toContain('# TYPE animal_store_orders_expired counter\n');
  expect(text).toContain('\nanimal_store_orders_expired_total 0\n');
  await server?.stop();
});

test('additions to PostgreSQL, its connections and failing jobs are measured', async () => {
  await using scratch = await openMigratedScratch();
  await using service = await startService(scratch.url, METRICS_FLAGS);
  const { origin, firstKey = '' } = service;
  await Promise.all(Array.from({ length: 10 }, () => postPet(origin, firstKey, REX)));
  const { sum } = await scrape(service);
  expect(sum('animal_store_write_batch_size_sum')).toBe(10);
  expect(sum('animal_store_write_batch_duration_seconds_sum')).toBeWithin(0.0001, 60);
  const connections = 'animal_store_postgres_connections';
  expect(sum(connections, { pool: 'write' })).toBeGreaterThan(0);
  expect(sum(`${connections}_limit`)).toBe(10);
  expect(sum('animal_store_postgres_waiting', { pool: 'read' })).toBe(0);
  expect(sum('animal_store_sqlite_wal_bytes')).toBeUndefined();
  const failures = 'animal_store_background_job_consecutive_failures';
  expect(sum(failures)).toBe(0);
  await scratch.sql`ALTER TABLE animal_store.orders RENAME TO lost`;
  await until(async () => Number((await scrape(service)).sum(failures)) > 0);
});

test('metrics are served until the end of a shutdown', async () => {
  using place = workplace();
  const flags = [...METRICS_FLAGS, '--shutdown-delay', '10m'];
  await using service = await startService(place.database, flags);
  service.signal('SIGTERM');
  await until(async () => (await scrape(service)).sum('animal_store_shutting_down') === 1);
  await sleep(SIGNAL_PAUSE_MS);
  // Ends the delay.
  service.signal('SIGINT');
  expect((await service.ended()).status).toBe(1);
});

test('connections to a port are counted on its side, and those that no process has accepted are queued', async () => {
  const serve = "const { port } = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch() {} });";
  const program = `${serve} console.log(port); Bun.sleepSync(1e9);`;
  const blocked = spawnGuarded([process.execPath, '-e', program], { stdout: 'pipe' });
  const { value } = await blocked.stdout.getReader().read();
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  for (const [port, counts] of [
    [Number(new TextDecoder().decode(value)), [0, 1]],
    [Number(server.port), [1, 0]],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    // Without data, the system waits for a second before it lets a server accept a connection.
    socket.write('GET');
    const read = async () => (await tcpConnections(port))[0]?.values.map(({ value }) => value);
    await until(async () => String(await read()) === String(counts));
    socket.destroy();
    // The client's end of an ended connection stays in the table for a minute.
    await until(async () => String(await read()) === '0,0');
  }
  blocked.kill();
});
