/** serve --workers: several processes on one port. */
import { expect, test } from 'bun:test';
import packageJson from '../../package.json' with { type: 'json' };
import { versionAfter } from '../../src/storage/migrations.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { spawnGuarded } from '../support/guard.ts';
import {
  BARE,
  bearer,
  commandOf,
  parseLog,
  postPet,
  startService,
  until,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { childrenOf, isRunning, preloading } from './children.ts';
import { canSetClock } from './clock.ts';
import { startWriters } from './connection.ts';
import { logged } from './logged.ts';
import { namesIn } from './maintained.ts';

const place = useEach(workplace);

const WORKERS = 2;
const REX = { name: 'Rex', categoryId: 1, status: 'available' };

const startWorkers = (database: string, ...flags: string[]) =>
  startService(database, ['--workers', String(WORKERS), ...flags]);

/** Sends a GET on a new connection. The prefix of the request id identifies the worker. */
async function get(url: string, key: string): Promise<{ worker: string; json: unknown[] }> {
  const response = await fetch(url, { headers: { ...bearer(key).headers, Connection: 'close' } });
  const worker = response.headers.get('x-request-id')?.split('-')[0] ?? '';
  return { worker, json: (await response.json()) as unknown[] };
}

test('a write through one worker is visible immediately through all, even if they cached an earlier response, and SIGINT shuts down all gracefully', async () => {
  await using service = await startWorkers(place.database);
  const { origin, firstKey = '', pid } = service;
  const seen = new Set<string>();
  for (let count = 1; count <= 10 || seen.size < WORKERS; count += 1) {
    expect((await postPet(origin, firstKey, REX)).status).toBe(201);
    const url = `${origin}/v1/pets?limit=100&status=available`;
    const responses = await Promise.all(Array.from({ length: 9 }, () => get(url, firstKey)));
    for (const { worker, json } of responses) {
      seen.add(worker);
      expect(json).toHaveLength(Math.min(count, 100));
    }
  }
  expect(seen.size).toBe(WORKERS);
  const workers = childrenOf(pid);
  expect(workers).toHaveLength(WORKERS);
  service.signal('SIGINT');
  const { status, stdout } = await service.ended();
  expect(status).toBe(0);
  expect(workers.filter(isRunning)).toEqual([]);
  expect(logged(stdout, 'shutdown_finished')).toHaveLength(WORKERS);
  expect(place.files()).toEqual(['animals.db']);
});

test('a worker that is killed under load loses no acknowledged animal, and is replaced; each line names the version, the instance, the process and the worker', async () => {
  await using service = await startWorkers(place.database, '--instance', 'till-3');
  const { origin, firstKey = '', pid, stop } = service;
  const writers = startWriters({ origin, key: firstKey }, 24);
  await until(() => writers.written.acknowledged.size > 100);
  const [victim = 0, ...others] = childrenOf(pid);
  process.kill(victim, 'SIGKILL');
  await until(() => childrenOf(pid).filter((child) => child !== victim).length === WORKERS);
  const workers = childrenOf(pid);
  const hasLogged = (worker: number) =>
    parseLog(service.stdout()).some((line) => line['process.pid'] === worker);
  await until(() => workers.every(hasLogged));
  const { stdout, status } = await stop();
  await writers.finished;
  expect(status).toBe(0);
  const lines = parseLog(stdout);
  const exited = {
    'event.name': 'worker_exited',
    'process.pid': pid,
    'animal_store.worker.pid': victim,
    'animal_store.process.signal': 'SIGKILL',
  };
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([exited]);
  const names = namesIn(place.database);
  const lost = [...writers.written.acknowledged].filter(([name, id]) => names.get(id) !== name);
  expect(lost).toEqual([]);
  expect(writers.written.duplicateIds).toEqual([]);

  const sources = new Set(
    lines.map((line) => `${line['service.version']} ${line['service.instance.id']}`),
  );
  expect([...sources]).toEqual([`${packageJson.version} till-3`]);
  const started = logged(stdout, 'server_started');
  for (const line of started)
    expect(line).toMatchObject({
      'vcs.ref.head.revision': expect.stringMatching(/./),
      'animal_store.schema.version': versionAfter(MIGRATIONS),
    });
  expect(started).not.toEqual([]);
  const numberOf = (of: number) =>
    lines.find((line) => line['process.pid'] === of)?.['animal_store.worker.number'];
  // The replacement keeps the number. The victim may not have written its lines.
  expect(workers).toEqual(expect.arrayContaining(others));
  expect(workers.map(numberOf).sort()).toEqual([1, 2]);
});

/** A module that holds a worker at its start until a file exists. */
const holdUntil = (path: string): string =>
  `while (process.argv.includes('--as-worker') && !require('node:fs').existsSync(${JSON.stringify(path)})) Bun.sleepSync(5);`;

test.skipIf(!canSetClock).each([
  // As systemd does.
  ['SIGTERM to the supervisor and its workers', 'is a stop', 'SIGTERM', 0],
  ['SIGKILL to a worker', 'is a failure', 'SIGKILL', 1],
] as const)('%s during the start %s', async (_signals, _outcome, signal, status) => {
  const { database, file, write } = place;
  const preload = await write('hold.ts', holdUntil(file('go')));
  const flags = ['--database', database, '--port', '0', '--workers', String(WORKERS)];
  const child = spawnGuarded(commandOf('serve', ...flags), {
    env: { ...BARE, ...preloading(preload) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = new Response(child.stderr).text();
  try {
    await until(() => childrenOf(child.pid).length === WORKERS);
    const [first = 0, ...others] = childrenOf(child.pid);
    for (const pid of status === 0 ? [child.pid, first, ...others] : [first])
      process.kill(pid, signal);
    await write('go', '');
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(status);
    const failure = expect.stringContaining('animal-store: A worker failed to start: see its');
    expect(await stderr).toEqual(
      status === 1 ? failure : expect.not.stringContaining('animal-store:'),
    );
  } finally {
    child.kill('SIGKILL');
  }
});
