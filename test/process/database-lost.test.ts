/** The log while PostgreSQL is lost: one line when it is lost, one when it is back. 20 s: each loss lasts for seconds. */
import { describe, expect, test } from 'bun:test';
import postgres from 'postgres';
import type { Observation } from '../../src/observe/observation.ts';
import { DatabaseMonitor } from '../../src/server/database-monitor.ts';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { startForwarder } from '../support/forwarder.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { migratedTemplate } from '../support/postgres-storage.ts';
import {
  bearer,
  type LogLine,
  ONE_SENTENCE,
  parseLog,
  postPet,
  startService,
  until,
  untilLogged,
} from '../support/process.ts';
import { useShared } from '../support/use-each.ts';
import { follow, importRex, newestId } from './followed-events.ts';
import { logged } from './logged.ts';

const server = useShared(() => startPostgres({ settings: { synchronous_commit: 'on' } }));

const createDatabase = async () => server.createDatabase(await migratedTemplate(server));

const FLAGS = ['--database-timeout', '3s'];
const REX = { name: 'Rex', categoryId: 1, status: 'available' };

/** Long enough for the line of a loss. */
const NOTICED_MS = 4_000;

const withEvent = (lines: readonly LogLine[], event: string): LogLine[] =>
  lines.filter((line) => line['event.name'] === event);

/** The lines until the database is back. A busy machine may lose it again. */
const untilBack = (lines: readonly LogLine[]): LogLine[] =>
  lines.slice(0, 1 + lines.findIndex((line) => line['event.name'] === 'database_available'));

/** A monitor of a database, and what it observes. */
function monitorOf(checkHealth: Database['checkHealth']) {
  const observed: Observation[] = [];
  const monitor = new DatabaseMonitor({ checkHealth }, (observation) => observed.push(observation));
  return { monitor, observed };
}

describe('PostgreSQL', () => {
  test('that is killed and started again leaves one line for each, with the duration and the failed requests', async () => {
    await using service = await startService(server.url(await createDatabase()), FLAGS);
    const { origin, firstKey: key = '', stop } = service;
    await server.kill();
    await untilLogged(service, 'database_unavailable');
    const requests = Array.from({ length: 20 }, (_value, index) =>
      index % 2 ? postPet(origin, key, REX) : fetch(`${origin}/v1/orders`, bearer(key)),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses).toEqual(Array(20).fill(503));
    await server.restart();
    await untilLogged(service, 'database_available');
    expect((await postPet(origin, key, REX)).status).toBe(201);
    const lines = parseLog((await stop()).stdout);
    const lost = withEvent(untilBack(lines), 'database_unavailable');
    expect(lost).toMatchObject([{ level: 'error' }]);
    expect(lost[0]?.['animal_store.reason']).toMatch(/ECONNREFUSED/);
    const back = withEvent(untilBack(lines), 'database_available');
    expect(back).toMatchObject([{ 'animal_store.request.failed_count': 20 }]);
    const lostSeconds = Number(back[0]?.['animal_store.database.unavailable_duration']);
    expect(lostSeconds).toBeGreaterThan(0);
    expect(lines.indexOf(lost[0] as LogLine)).toBeLessThan(
      lines.findIndex((line) => line['http.response.status_code'] === 503),
    );

    // Each request has its own line. Each cause has one error, and a count of the others.
    const statusOf = (line: LogLine) => line['http.response.status_code'];
    expect(lines.filter((line) => statusOf(line) === 503)).toHaveLength(20);
    const failed = withEvent(lines, 'request_failed');
    const causes = failed.map((line) => line['exception.message']);
    expect(new Set(causes).size).toBe(causes.length);
    const leftOut = withEvent(lines, 'lines_left_out')
      .filter((line) => line['animal_store.log.event'] === 'request_failed')
      .reduce((sum, line) => sum + Number(line['animal_store.log.left_out_count']), 0);
    expect(failed.length + leftOut).toBe(20);
    // The orders are expired every second.
    expect(withEvent(lines, 'background_job_failed').length).toBeLessThan(lostSeconds + 3);
  });

  test('that is killed and started again loses and repeats no event of `events --follow`, which ends with a sentence if the loss is longer', async () => {
    const database = server.url(await createDatabase());
    await importRex(database);
    const since = await newestId(database);
    const patient = follow(database, '--json', '--since', since, '--database-timeout', '1m');
    const hasty = follow(database, '--json', '--since', since, '--database-timeout', '3s');
    await importRex(database);
    await until(() => patient.lines().length === 1 && hasty.lines().length === 1);
    await server.kill();
    const { status, stderr } = await hasty.ended();
    expect([status, stderr]).toEqual([1, expect.stringMatching(ONE_SENTENCE)]);
    await server.restart();
    await importRex(database);
    await until(() => patient.lines().length === 2);
    await server.kill();
    expect(await patient.ended('SIGTERM')).toEqual({ status: 0, stderr: '' });
    expect(patient.subjects()).toEqual(['pets', 'pets']);
    await server.restart();
  });

  test('that is back leaves a line that does not count the requests that failed before the loss', async () => {
    const forwarder = await startForwarder(server);
    const database = await openPostgres(
      server.url(await createDatabase(), { port: forwarder.port }),
    );
    let checks = 0;
    const { monitor, observed } = monitorOf(() => {
      checks += 1;
      return database.checkHealth();
    });
    const fail = (requestId: string) =>
      monitor.observe({ kind: 'request_failed', requestId, error: new Error('failed') });
    const untilObserved = (kind: Observation['kind']) =>
      until(() => observed.some((observation) => observation.kind === kind));
    monitor.start();
    try {
      for (const id of ['a', 'b', 'c']) fail(id);
      // The first check has ended, and was successful.
      await until(() => checks >= 2);
      forwarder.refuse(true);
      forwarder.cut();
      await untilObserved('database_unavailable');
      for (const id of ['d', 'e']) fail(id);
      forwarder.refuse(false);
      await untilObserved('database_available');
      expect(observed.at(-1)).toMatchObject({ kind: 'database_available', failedRequests: 2 });
    } finally {
      monitor.stop();
      await database.close();
      await forwarder.close();
    }
  });

  test('that the service closes during a check is not reported as lost', async () => {
    const database = await openPostgres(server.url(await createDatabase()));
    const { promise: checked, resolve: hasChecked } = Promise.withResolvers<unknown>();
    const { monitor, observed } = monitorOf(async () => {
      monitor.stop();
      await database.close();
      const checked = (async () => database.checkHealth())();
      // The monitor learns of the failure in the same turn of the event loop.
      checked.catch((error) => setImmediate(() => hasChecked(error)));
      return checked;
    });
    monitor.start();
    expect(await checked).toMatchObject({ failure: 'unavailable' });
    expect(observed).toEqual([]);
  });

  test.concurrent('that does not respond leaves the same lines, even if no request comes', async () => {
    const forwarder = await startForwarder(server);
    const database = server.url(await createDatabase(), { port: forwarder.port });
    try {
      await using service = await startService(database, FLAGS);
      forwarder.blackhole(true);
      await untilLogged(service, 'database_unavailable');
      // Further checks fail.
      await Bun.sleep(NOTICED_MS);
      forwarder.blackhole(false);
      forwarder.cut();
      await untilLogged(service, 'database_available');
      const lines = untilBack(parseLog((await service.stop()).stdout));
      expect(withEvent(lines, 'database_unavailable')).toHaveLength(1);
      expect(withEvent(lines, 'database_available')).toMatchObject([
        { 'animal_store.request.failed_count': 0 },
      ]);
    } finally {
      await forwarder.close();
    }
  });

  test.concurrent('that accepts no writes leaves the same lines', async () => {
    const name = await createDatabase();
    const setReadOnly = async (mode: 'on' | 'off') => {
      await server.sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${mode}`);
      // The setting applies to new sessions.
      await server.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
    };
    await using service = await startService(server.url(name), FLAGS);
    await setReadOnly('on');
    await untilLogged(service, 'database_unavailable');
    await setReadOnly('off');
    await untilLogged(service, 'database_available');
    const lines = untilBack(parseLog((await service.stop()).stdout));
    expect(withEvent(lines, 'database_unavailable')).toMatchObject([
      { 'animal_store.reason': 'The database cannot be reached: The database is read-only.' },
    ]);
    expect(withEvent(lines, 'database_available')).toHaveLength(1);
  });

  test.concurrent('whose connections are all in use by slow writes is not reported as lost', async () => {
    const name = await createDatabase();
    const flags = ['--database-connections', '2', ...FLAGS];
    await using service = await startService(server.url(name), flags);
    const { origin, firstKey: key = '', stop } = service;
    const lock = postgres(server.url(name), { max: 1 });
    await lock.begin(async (transaction) => {
      await transaction.unsafe('LOCK TABLE animal_store.pets IN EXCLUSIVE MODE');
      const writes = await Promise.all([1, 2, 3].map(() => postPet(origin, key, REX)));
      expect(writes.map(({ status }) => status)).toEqual([503, 503, 503]);
    });
    await lock.end();
    const { stdout } = await stop();
    expect(logged(stdout, 'request_failed')).not.toEqual([]);
    expect(logged(stdout, 'database_unavailable')).toEqual([]);
  });

  test.concurrent('that responds to requests is not reported as lost while the check waits for a lock', async () => {
    const name = await createDatabase();
    await using service = await startService(server.url(name));
    const { origin, firstKey: key = '', stop } = service;
    const responses: { asked: number; answered: number }[] = [];
    const lock = postgres(server.url(name), { max: 1 });
    await lock.begin(async (transaction) => {
      await transaction.unsafe('LOCK TABLE animal_store.schema_version');
      for (const end = Date.now() + NOTICED_MS; Date.now() < end; await Bun.sleep(50)) {
        const asked = Date.now();
        expect((await fetch(`${origin}/v1/pets`, bearer(key))).status).toBe(200);
        responses.push({ asked, answered: Date.now() });
      }
    });
    await lock.end();
    // On a busy machine nothing may respond for so long. A line right after a response is wrong.
    const wrong = logged((await stop()).stdout, 'database_unavailable').filter((line) => {
      const time = Date.parse(String(line['time']));
      return responses.some(({ asked, answered }) => asked > time - 600 && answered <= time);
    });
    expect(wrong).toEqual([]);
  });
});
