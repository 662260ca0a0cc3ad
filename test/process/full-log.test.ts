/** Nothing waits for standard output or standard error if they cannot be written. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../support/create-key.ts';
import { parseScrape } from '../support/metrics.ts';
import { freePort } from '../support/postgres-home.ts';
import { animalStore, bearer, parseLog, until, workplace } from '../support/process.ts';
import { spawnAnimalStore } from './children.ts';
import { openPipe, type Pipe } from './pipes.ts';

/** Longer than the service may wait for an output. */
const EXIT_LIMIT_MS = 20_000;

/** Whose lines exceed a pipe. */
const CALLS = 400;

/** Starts a service that writes to these descriptors. */
async function serve(
  database: string,
  outputs: { readonly stdout?: number; readonly stderr?: number },
  ...flags: readonly string[]
) {
  const port = String(await freePort());
  const args = ['serve', '--port', port, '--database', database, ...flags];
  const child = spawnAnimalStore(args, { stdout: 'ignore', stderr: 'ignore', ...outputs });
  const origin = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok === true;
  await until(isReady);
  return {
    origin,
    /** Sends SIGTERM. Resolves with the exit status, or with undefined if the process did not exit in time. */
    stop() {
      child.kill('SIGTERM');
      return Promise.race([child.exited, sleep(EXIT_LIMIT_MS, undefined)]);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** Outputs that cannot be written. */
const BLOCKED: readonly [string, (pipe: Pipe) => void][] = [
  ['a full pipe that nobody reads', (pipe) => pipe.fill()],
  ['a pipe without a reader', (pipe) => pipe.closeReader()],
];

test.concurrent.each(BLOCKED)(
  'with %s as the outputs of all its processes, serve starts, responds, and exits with status 0',
  async (_what, block) => {
    using place = workplace();
    using pipe = openPipe(place);
    block(pipe);
    const outputs = { stdout: pipe.input, stderr: pipe.input };
    await using service = await serve(place.database, outputs, '--workers', '2');
    for (let call = 0; call < 3; call += 1)
      expect((await fetch(`${service.origin}/livez`)).status).toBe(200);
    // The log is written with a delay.
    await sleep(100);
    expect(await service.stop()).toBe(0);
  },
);

test.concurrent('a log of several processes that fills its pipe contains only complete lines', async () => {
  using place = workplace();
  using pipe = openPipe(place);
  const key = await createKey(place.database);
  await using service = await serve(place.database, { stdout: pipe.input }, '--workers', '2');
  for (let call = 0; call < CALLS; call += 1)
    await (await fetch(`${service.origin}/v1/pets`, bearer(key))).text();
  expect(await service.stop()).toBe(0);
  const text = pipe.drain();
  expect(text.length).toBeGreaterThan(32 * 1024);
  expect(text).toEndWith('\n');
  const events = parseLog(text).map((line) => line['event.name']);
  expect(events).toContain('server_started');
  // The pipe is too small for all lines.
  expect(events.length).toBeLessThan(CALLS);
});

test.concurrent('a log that was full for a time says how many of its lines are missing, and so does the metric', async () => {
  using place = workplace();
  using pipe = openPipe(place);
  const metricsPort = String(await freePort());
  const flags = ['--metrics-port', metricsPort];
  await using service = await serve(place.database, { stdout: pipe.input }, ...flags);
  const dropped = async () => {
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    return parseScrape(await metrics.text()).sum('animal_store_log_lines_dropped_total') ?? 0;
  };
  // Pipelined: a client library would take more time than the service.
  const { hostname, port } = new URL(service.origin);
  const client = connect(Number(port), hostname);
  let received = '';
  client.on('data', (chunk) => (received += chunk.toString('latin1')));
  const request = `GET /missing HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${'x'.repeat(128)}\r\n\r\n`;
  let sent = 0;
  while (sent < 25_000 && (await dropped()) === 0) {
    sent += 250;
    received = '';
    client.write(request.repeat(250));
    await until(() => received.split('HTTP/1.1 404').length > 250);
  }
  client.destroy();
  let text = '';
  const drained = () => (text += pipe.drain());
  await until(() => drained().includes('"log_lines_dropped"'));
  const total = await dropped();
  expect(total).toBeGreaterThan(0);
  expect(await service.stop()).toBe(0);
  const lines = parseLog(text + pipe.drain());
  const requests = lines.filter((line) => line['http.response.status_code'] === 404);
  const missing = lines.map((line) => Number(line['animal_store.log.dropped_count'] ?? 0));
  expect(missing.reduce((sum, count) => sum + count, 0)).toBe(total);
  expect(requests.length + total).toBe(sent);
});

test.each(BLOCKED)('with %s as standard error, a failed start has status 1', async (_, block) => {
  using place = workplace();
  using pipe = openPipe(place);
  block(pipe);
  const args = ['serve', '--port', '0', '--host', '203.0.113.1', '--database', place.database];
  const child = spawnAnimalStore(args, { stdout: 'ignore', stderr: pipe.input });
  const status = await Promise.race([child.exited, sleep(EXIT_LIMIT_MS, undefined)]);
  child.kill('SIGKILL');
  expect(status).toBe(1);
});

test('an import continues after the reader of its standard error exits', async () => {
  using place = workplace();
  using pipe = openPipe(place);
  pipe.closeReader();
  const file = await place.write('a.ndjson', '{"name":"Rex","categoryId":1}\nbad\n');
  const args = ['import', file, '--on-error', 'skip', '--database', place.database];
  const child = spawnAnimalStore(args, { stdout: 'ignore', stderr: pipe.input });
  expect(await child.exited).toBe(0);
  const { stdout } = await animalStore(['export', '--database', place.database]);
  expect(stdout).toBe('{"id":1,"name":"Rex","categoryId":1}\n');
});
