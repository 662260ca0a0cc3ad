/** The supervisor adds up the metrics of its workers. */
import { expect, test } from 'bun:test';
import { aggregate } from '../../src/observe/metrics/exposition.ts';
import { single } from '../../src/observe/metrics/families.ts';
import { createMetrics } from '../../src/observe/metrics/metrics.ts';
import { WorkerMetrics } from '../../src/server/worker-metrics.ts';
import { scrape } from '../support/metrics.ts';
import {
  bearer,
  inWorkplace,
  parseLog,
  type RunningService,
  startService,
  until,
  withService,
} from '../support/process.ts';
import { childrenOf } from './children.ts';

const withWorkers = (work: (service: RunningService, key: string) => Promise<void>) =>
  inWorkplace(async ({ database }) => {
    const flags = ['--workers', '2', '--metrics-port', '0'];
    const service = await startService(database, flags);
    await withService(service, (running) => work(running, running.firstKey ?? ''));
  });

/** Each request has its own connection, so that both workers get some. */
const list = async (origin: string, key: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    const { headers } = bearer(key);
    await fetch(`${origin}/v1/pets`, { headers: { ...headers, Connection: 'close' } });
  }
};

const LISTED = { operation: 'listPets', status: '200' };

const listed = async (service: RunningService) =>
  (await scrape(service)).sum('animal_store_http_requests_total', LISTED);

test.concurrent(
  'a scrape has the sum of all workers, and the memory of each; counters stay when a worker is killed, and its successor adds to them',
  withWorkers(async (service, key) => {
    await list(service.origin, key, 40);
    const { sum } = await scrape(service);
    expect(sum('animal_store_http_requests_total', LISTED)).toBe(40);
    expect(sum('animal_store_http_request_duration_seconds_count')).toBe(40);
    expect(sum('animal_store_workers')).toBe(2);
    expect(sum('animal_store_database_up')).toBe(1);
    for (const worker of ['1', '2', 'supervisor']) {
      expect(sum('process_resident_memory_bytes', { worker })).toBeGreaterThan(1e6);
    }
    for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL');
    await until(async () => {
      const { sum } = await scrape(service);
      expect(sum('animal_store_http_requests_total', LISTED)).toBe(40);
      return sum('animal_store_workers') === 2 && childrenOf(service.pid).length === 2;
    });
    await list(service.origin, key, 10);
    const after = await scrape(service);
    expect(after.sum('animal_store_http_requests_total', LISTED)).toBe(50);
    expect(after.sum('animal_store_worker_exits_total', { expected: 'false' })).toBe(2);
  }),
);

test.concurrent(
  'a worker that is replaced loses no count, also without a scrape before',
  withWorkers(async (service, key) => {
    await list(service.origin, key, 40);
    for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGTERM');
    await until(async () => {
      const { sum } = await scrape(service);
      return sum('animal_store_worker_exits_total', { expected: 'true' }) === 2;
    });
    expect(await listed(service)).toBe(40);
  }),
);

test.concurrent(
  'a worker that does not respond is left out and counted, its counters stay, and it is back later',
  withWorkers(async (service, key) => {
    await list(service.origin, key, 40);
    expect(await listed(service)).toBe(40);
    const [stopped = 0] = childrenOf(service.pid);
    process.kill(stopped, 'SIGSTOP');
    const without = await scrape(service);
    process.kill(stopped, 'SIGCONT');
    expect(without.sum('animal_store_workers')).toBe(1);
    expect(without.sum('animal_store_workers_unanswered_total')).toBe(1);
    const memory = without.series.filter(({ name }) => name === 'process_resident_memory_bytes');
    expect(memory.map(({ labels }) => labels['worker'])).toEqual([
      'supervisor',
      expect.stringMatching(/^[12]$/),
    ]);
    expect(without.sum('animal_store_http_requests_total', LISTED)).toBe(40);
    await until(async () => (await scrape(service)).sum('animal_store_workers') === 2);
    const { stdout } = await service.stop();
    const exits = parseLog(stdout).filter((line) => line['event.name'] === 'worker_exited');
    expect(exits.map((line) => line['animal_store.process.exit_expected'])).toEqual([true, true]);
  }),
);

test('the -wal is that of one database: workers that measure it are not added up', () => {
  const measured = (bytes: number) => [single('animal_store_sqlite_wal_bytes', bytes)];
  expect(aggregate([measured(1_250), measured(1_500), measured(0)])).toMatchObject([
    { values: [{ value: 1_500 }] },
  ]);
});

const BUILD = { version: '1.0.0', commit: '0123456789ab', schemaVersion: 5 };

test('a scrape does not wait for a worker that exits before it responds', async () => {
  const metrics = new WorkerMetrics(createMetrics({ build: BUILD, operations: [] }));
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
