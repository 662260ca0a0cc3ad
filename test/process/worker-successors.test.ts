/** SIGTERM to a worker: its successor serves requests before the worker stops. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, parseLog, startService, until, workplace } from '../support/process.ts';
import { childrenOf, isRunning } from './children.ts';
import { logged } from './logged.ts';
import { withFile } from './maintained.ts';

const WORKERS = ['--workers', '2'];

test.concurrent('a worker that receives SIGTERM is replaced: it stops after its successor has started and for the shortest handover, and /readyz stays 200', async () => {
  using place = workplace();
  await using service = await startService(place.database, WORKERS);
  const { origin, pid, stop } = service;
  const [victim = 0, ...others] = childrenOf(pid);
  process.kill(victim, 'SIGTERM');
  const statuses = new Set<number>();
  while (isRunning(victim)) {
    // Closing the worker's listener may reset a new connection.
    const response = await fetch(`${origin}/readyz`, {
      headers: { Connection: 'close' },
    }).catch(() => undefined);
    if (response !== undefined) statuses.add(response.status);
    await sleep(100); // The worker waits for a pause.
  }
  expect([...statuses]).toEqual([200]);
  const left = childrenOf(pid);
  expect(left).toHaveLength(2);
  expect(left).toEqual(expect.arrayContaining(others));
  const { stdout } = await stop();
  const [, , successor] = logged(stdout, 'server_started');
  const [replaced] = logged(stdout, 'shutdown_started');
  expect(String(successor?.['time']) <= String(replaced?.['time'])).toBeTrue();
  // It accepts requests for the shortest handover: the delay of the shutdown is shorter.
  expect(replaced).toMatchObject({ 'process.pid': victim, 'animal_store.shutdown.delay': 1 });
  expect(logged(stdout, 'worker_exited')[0]).toMatchObject({
    level: 'info',
    'animal_store.worker.pid': victim,
    'process.exit.code': 0,
    'animal_store.process.signal': null,
    'animal_store.process.exit_expected': true,
  });
  expect(parseLog(stdout).filter(({ level }) => level === 'error')).toEqual([]);
});

/** Writes another schema number, such as that of a newer version, which a starting program refuses. Returns the number before. */
const setSchema = (path: string, version: number): number =>
  withFile(path, (file) => {
    const [[before] = []] = file.query('PRAGMA user_version').values();
    file.run(`PRAGMA user_version = ${version}`);
    return Number(before);
  });

test.concurrent('a worker whose successor does not start continues, which is logged, and a second SIGTERM stops it gracefully', async () => {
  using place = workplace();
  await using service = await startService(place.database, WORKERS);
  const { origin, firstKey = '', pid, stop, stderr } = service;
  const workers = childrenOf(pid);
  const [victim = 0] = workers;
  const schema = setSchema(place.database, 999);
  process.kill(victim, 'SIGTERM');
  await until(() => /newer/.test(stderr()));
  await until(() => childrenOf(pid).length === 2);
  expect(childrenOf(pid)).toEqual(workers);
  for (let request = 0; request < 10; request += 1) {
    const response = await fetch(`${origin}/v1/pets`, bearer(firstKey));
    expect([response.status, response.headers.get('Connection') === 'close']).toEqual([200, false]);
  }
  setSchema(place.database, schema);
  process.kill(victim, 'SIGTERM');
  await until(() => !isRunning(victim) && childrenOf(pid).length === 2);
  const { stdout } = await stop();
  expect(logged(stdout, 'worker_replacement_failed')).toMatchObject([
    { level: 'error', 'animal_store.worker.pid': victim },
  ]);
  expect(logged(stdout, 'worker_exited').slice(0, 2)).toMatchObject([
    { level: 'error', 'process.exit.code': 1 },
    { level: 'info', 'animal_store.worker.pid': victim, 'process.exit.code': 0 },
  ]);
});
