/** The supervisor adds up the metrics of its workers. */
import { expect, test } from 'bun:test';
import { aggregate } from '../../src/observe/metrics/exposition.ts';
import { single } from '../../src/observe/metrics/families.ts';
import { createMetrics } from '../../src/observe/metrics/metrics.ts';
import { WorkerMetrics } from '../../src/server/worker-metrics.ts';
import { type Scrape, scrape } from '../support/metrics.ts';
import { bearer, startService, until, workplace } from '../support/process.ts';
import { childrenOf } from './children.ts';
import { logged } from './logged.ts';

/** Each request has its own connection, so that both workers get some. */
const list = async (origin: string, key: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    const { headers } = bearer(key);
    await fetch(`${origin}/v1/pets`, { headers: { ...headers, Connection: 'close' } });
  }
};

test('a scrape has the sum of all workers, and the memory of each; counters stay when workers are replaced before a scrape, do not respond, or are killed', async () => {
  using place = workplace();
  const flags = ['--workers', '2', '--metrics-port', '0'];
  await using service = await startService(place.database, flags);
  const { origin, firstKey = '', pid } = service;
  const exits = () => logged(service.stdout(), 'worker_exited');
  const listed = ({ sum }: Scrape) =>
    sum('animal_store_http_requests_total', { operation: 'listPets', status: '200' });
  const memories = ({ series }: Scrape) =>
    series.filter(({ name }) => name === 'process_resident_memory_bytes');
  let unanswered = 0;
  /** Scrapes until so many workers of the two respond within the deadline, which a busy machine exceeds. */
  const scrapeOf = async (workers: number): Promise<Scrape> => {
    const scraped = await scrape(service);
    const responded = Number(scraped.sum('animal_store_workers'));
    unanswered += 2 - responded;
    return responded === workers ? scraped : scrapeOf(workers);
  };

  await list(origin, firstKey, 40);
  for (const worker of childrenOf(pid)) process.kill(worker, 'SIGTERM');
  await until(() => exits().length === 2);
  await list(origin, firstKey, 10);
  const replaced = await scrapeOf(2);
  expect(listed(replaced)).toBe(50);
  expect(replaced.sum('animal_store_http_request_duration_seconds_count')).toBe(50);
  expect(replaced.sum('animal_store_worker_exits_total', { expected: 'true' })).toBe(2);
  expect(replaced.sum('animal_store_database_up')).toBe(1);
  const measured = memories(replaced).map(({ labels }) => labels['worker']);
  expect(measured.sort()).toEqual(['1', '2', 'supervisor']);
  for (const { value } of memories(replaced)) expect(value).toBeGreaterThan(1e6);

  const [stopped = 0] = childrenOf(pid);
  process.kill(stopped, 'SIGSTOP');
  const without = await scrapeOf(1);
  process.kill(stopped, 'SIGCONT');
  expect(listed(without)).toBe(50);
  expect(without.sum('animal_store_workers_unanswered_total')).toBe(unanswered);
  expect(memories(without)).toHaveLength(2);
  await scrapeOf(2);

  for (const worker of childrenOf(pid)) process.kill(worker, 'SIGKILL');
  await until(async () => {
    const killed = await scrape(service);
    expect(listed(killed)).toBe(50);
    return killed.sum('animal_store_workers') === 2 && childrenOf(pid).length === 2;
  });
  await list(origin, firstKey, 10);
  const after = await scrapeOf(2);
  expect(listed(after)).toBe(60);
  expect(after.sum('animal_store_worker_exits_total', { expected: 'false' })).toBe(2);
  await service.stop();
  const expected = exits().map((line) => line['animal_store.process.exit_expected']);
  expect(expected).toEqual([true, true, false, false, true, true]);
});

test('the -wal is that of one database: workers that measure it are not added up', () => {
  const measured = (bytes: number) => [single('animal_store_sqlite_wal_bytes', bytes)];
  expect(aggregate([measured(1_250), measured(1_500), measured(0)])).toMatchObject([
    { values: [{ value: 1_500 }] },
  ]);
});

test('a scrape does not wait for a worker that exits before it responds', async () => {
  const build = { version: '1.0.0', commit: '0123456789ab', schemaVersion: 5 };
  const metrics = new WorkerMetrics(createMetrics({ build, operations: [] }));
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const worker = metrics.add(1, () => asked());
  worker.isServing = true;
  const collected = metrics.collect().then(() => 'collected');
  await isAsked;
  metrics.remove(worker);
  // Long before the deadline of the response.
  const nextTurn = new Promise((resolve) => setImmediate(() => resolve('waiting')));
  expect(await Promise.race([collected, nextTurn])).toBe('collected');
});
