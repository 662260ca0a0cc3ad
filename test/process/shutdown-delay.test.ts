/** SHUTDOWN_DELAY: a load balancer learns that the service stops before the service refuses requests. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningService, startService, until, workplace } from '../support/process.ts';
import { childrenOf, isRunning, SIGNAL_PAUSE_MS } from './children.ts';
import { Connection, closesConnection, newPetRequest } from './connection.ts';
import { logged } from './logged.ts';

/** Longer than a test: a second signal ends the service. */
const LONG_DELAY = ['--shutdown-delay', '10m'];

const statusOf = async ({ origin }: RunningService, path: string): Promise<number> =>
  (await fetch(`${origin}${path}`, { headers: { Connection: 'close' } })).status;

const untilUnready = (service: RunningService): Promise<void> =>
  until(async () => (await statusOf(service, '/readyz')) === 503);

async function connect({ origin }: RunningService): Promise<Connection> {
  const connection = await Connection.open(origin);
  if (connection === undefined) throw new Error('The service does not listen.');
  return connection;
}

test.concurrent('during the delay /readyz is 503, and requests on idle and new connections get responses with Connection: close', async () => {
  using place = workplace();
  await using service = await startService(place.database, LONG_DELAY);
  const { firstKey = '' } = service;
  const idle = await connect(service);
  idle.send(newPetRequest(firstKey, 'before'));
  const before = await idle.response();
  expect(before && [before.status, closesConnection(before)]).toEqual([201, false]);
  service.signal('SIGTERM');
  await untilUnready(service);
  expect(await statusOf(service, '/livez')).toBe(200);
  for (const connection of [idle, await connect(service)]) {
    connection.send(newPetRequest(firstKey, 'during'));
    const response = await connection.response();
    expect(response && [response.status, closesConnection(response)]).toEqual([201, true]);
    expect(await connection.response()).toBeUndefined();
  }
  await sleep(SIGNAL_PAUSE_MS);
  service.signal('SIGTERM');
  expect((await service.ended()).status).toBe(1);
});

test.concurrent('during the delay of a supervisor, /readyz of each worker is 503, also of one whose successor already serves, and a second signal ends all', async () => {
  using place = workplace();
  await using service = await startService(place.database, ['--workers', '2', ...LONG_DELAY]);
  const { pid, firstKey = '' } = service;
  // About half of them lead to the worker that is replaced.
  const early = await Promise.all(Array.from({ length: 60 }, () => connect(service)));
  const isReady = async (connection: Connection) => {
    connection.send('GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const response = await connection.response();
    connection.close();
    if (response === undefined) throw new Error('The connection closed without a response.');
    const worker = /^x-request-id: (\w+)-/im.exec(response.head)?.[1];
    return { worker, status: response.status, closes: closesConnection(response) };
  };
  const [victim = 0] = childrenOf(pid);
  process.kill(victim, 'SIGTERM');
  let replaced: string | undefined;
  await until(async () => {
    const { worker, status, closes } = await isReady(await connect(service));
    if (closes) replaced = worker;
    expect(status).toBe(200);
    return closes;
  });
  const workers = childrenOf(pid);
  service.signal('SIGTERM');
  // The system assigns each connection to one of the workers.
  await until(async () => {
    const statuses = Array.from({ length: 20 }, () => statusOf(service, '/readyz'));
    return (await Promise.all(statuses)).every((status) => status === 503);
  });
  const statuses: number[] = [];
  for (const connection of early) {
    const { worker, status } = await isReady(connection);
    if (worker === replaced) statuses.push(status);
  }
  expect(statuses.at(-1)).toBe(503);
  const connection = await connect(service);
  connection.send(newPetRequest(firstKey, 'during'));
  expect((await connection.response())?.status).toBe(201);
  await sleep(SIGNAL_PAUSE_MS);
  service.signal('SIGINT');
  const { status, stdout } = await service.ended();
  expect(status).toBe(1);
  await until(() => !workers.some(isRunning));
  const stops = logged(stdout, 'shutdown_started');
  // Each process writes its lines in its own time.
  const victims = stops.filter((line) => line['process.pid'] === victim);
  expect(victims).toMatchObject([{ 'animal_store.shutdown.delay': 600 }]);
});

test.concurrent('workers whose supervisor is killed stop without the delay', async () => {
  using place = workplace();
  const service = await startService(place.database, ['--workers', '2', '--shutdown-delay', '2s']);
  service.signal('SIGKILL');
  // The log ends when the workers do.
  const { stdout } = await service.ended();
  const started = logged(stdout, 'shutdown_started');
  const withoutDelay = {
    'animal_store.reason': 'supervisor exited',
    'animal_store.shutdown.delay': 0,
  };
  expect(started).toMatchObject([withoutDelay, withoutDelay]);
});

test.concurrent('signals to all processes at one moment, as of systemd and npm, are one graceful shutdown after the delay', async () => {
  using place = workplace();
  const flags = ['--workers', '2', '--shutdown-delay', '1100ms'];
  await using service = await startService(place.database, flags);
  const processes = [service.pid, ...childrenOf(service.pid)];
  // It handles both at once, even if this process is slow in between.
  for (const it of ['SIGSTOP', 'SIGTERM', 'SIGINT', 'SIGCONT'] as const) service.signal(it);
  for (const pid of processes.slice(1)) process.kill(pid, 'SIGTERM');
  await until(() => service.stdout().split('shutdown_started').length > 2);
  for (const pid of processes.slice(1).filter(isRunning)) process.kill(pid, 'SIGTERM');
  const { status, stdout } = await service.ended();
  expect(status).toBe(0);
  expect(place.files()).toEqual(['animals.db']);
  const [started] = logged(stdout, 'shutdown_started');
  expect(started).toMatchObject({
    'animal_store.reason': expect.stringMatching(/^SIG(INT|TERM)$/),
    'animal_store.shutdown.delay': 1.1,
  });
  const exits = logged(stdout, 'worker_exited');
  expect(new Set(exits.map(({ level }) => level))).toEqual(new Set(['info']));
  expect(logged(stdout, 'shutdown_finished').length).toBeGreaterThanOrEqual(2);
});
