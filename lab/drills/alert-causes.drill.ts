/** The alert rules: the condition of each alert becomes true when its fault is really caused. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { childrenOf } from '../../test/process/children.ts';
import { canSetClock, startWithClock } from '../../test/process/clock.ts';
import { Connection } from '../../test/process/connection.ts';
import { openScratch, type Scratch } from '../../test/storage/postgres/scratch.ts';
import { alertRules, metricNames, readDeployed } from '../../test/support/alert-rules.ts';
import { startForwarder } from '../../test/support/forwarder.ts';
import { metricsUrl, parseScrape } from '../../test/support/metrics.ts';
import { startPooler } from '../../test/support/pooler.ts';
import {
  bearer,
  commandOf,
  inWorkplace,
  type RunningService,
  startCommand,
  startService,
  withService,
  workplace,
} from '../../test/support/process.ts';
import { canMount, withSmallDisk } from '../../test/support/small-disk.ts';
import { useEach } from '../../test/support/use-each.ts';
import { AlertCauses, type Read } from './alert-causes.ts';
import { add, deleteLocked, fillDisk, fillFile, get } from './alert-faults.ts';
import { testWarnings } from './alert-warnings.ts';

const place = useEach(workplace);

const causes = new AlertCauses();
const cause = causes.cause.bind(causes);

const METRICS = ['--metrics-port', '0'];

const onSqlite = (
  work: (service: RunningService, path: string) => Promise<void>,
  ...flags: string[]
) =>
  inWorkplace(async ({ database }) => {
    const service = await startService(database, [...METRICS, ...flags]);
    await withService(service, (running) => work(running, database));
  });

testWarnings(cause);

describe('with SQLite', () => {
  test(
    'a process that is gone',
    onSqlite(async (service) => {
      await cause(['AnimalStoreDown'], service, () => service.signal('SIGKILL'));
    }),
  );

  test(
    'a database file that was moved',
    onSqlite(async (service, path) => {
      await cause(['AnimalStoreDatabaseUnavailable'], service, () =>
        renameSync(path, `${path}.moved`),
      );
    }),
  );

  test('a database file that was cut', async () => {
    const { database: path } = place;
    await fillFile(path, 20_000);
    const command = commandOf('serve', '--port', '0', '--database', path, ...METRICS);
    await withService(await startCommand(command), (service) =>
      cause(['AnimalStoreDatabaseDamaged'], service, async () => {
        truncateSync(path, Math.floor(statSync(path).size / 2));
        for (let id = 20_000; id > 0 && (await get(service, id)).status !== 503; id -= 100);
      }),
    );
  });

  test.skipIf(!canMount)('a full disk', async () => {
    const { file } = place;
    const folder = file('disk');
    mkdirSync(folder);
    await withSmallDisk(folder, '1m', async () => {
      const service = await startService(join(folder, 'animals.db'), METRICS);
      await withService(service, (running) =>
        cause(['AnimalStoreWritesUnavailable', 'AnimalStoreStorageFull'], running, async () => {
          fillDisk(folder);
          for (let time = 0; time < 1_000 && (await add(running)) !== 507; time += 1);
        }),
      );
    });
  });

  test.skipIf(process.platform !== 'linux')(
    'file descriptors that are low, and then exhausted',
    async () => {
      const { database } = place;
      const limit = 60;
      const command = commandOf('serve', '--port', '0', '--database', database, ...METRICS);
      const shell = ['sh', '-c', `ulimit -n ${limit} && exec "$@"`, 'sh'];
      await withService(await startCommand([...shell, ...command]), async (service) => {
        const url = metricsUrl(service);
        // Prometheus keeps its connection, too.
        const kept = await Connection.open(url);
        const read: Read = async () => {
          kept?.send('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
          const response = await kept?.response();
          return response && parseScrape(response.body);
        };
        const port = Number(new URL(service.origin).port);
        const sockets: Socket[] = [];
        const open = (count: number) => {
          for (let one = 0; one < count; one += 1)
            sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
        };
        const free = () => limit - readdirSync(`/proc/${service.pid}/fd`).length;
        await cause(['AnimalStoreDescriptorsLow'], service, () => open(free() - 8), read);
        await cause(['AnimalStoreDescriptorsExhausted'], service, () => open(20), read);
        for (const socket of sockets) socket.destroy();
      });
    },
  );

  test(
    'a worker that is killed, and one that is stopped',
    onSqlite(
      async (service) => {
        const [first = 0, second = 0] = childrenOf(service.pid);
        await cause(['AnimalStoreWorkerSilent'], service, () => process.kill(first, 'SIGSTOP'));
        process.kill(first, 'SIGCONT');
        await cause(['AnimalStoreWorkerExited'], service, () => process.kill(second, 'SIGKILL'));
      },
      '--workers',
      '2',
    ),
  );
});

test.skipIf(!canSetClock)(
  'a clock that is set back, and is then behind the first API key',
  async () => {
    const { service, setClock } = await startWithClock(place, METRICS);
    await withService(service, () =>
      cause(['AnimalStoreClockJumped', 'AnimalStoreClockBehind'], service, () =>
        setClock(-3_600_000),
      ),
    );
  },
);

describe('with PostgreSQL', () => {
  const onPostgres =
    (work: (service: RunningService, scratch: Scratch) => Promise<void>, ...flags: string[]) =>
    async () => {
      const scratch = await openScratch();
      const service = await startService(scratch.url, [...METRICS, ...flags]);
      await withService(service, (running) => work(running, scratch));
      await scratch.remove();
    };

  test(
    'a missing table, a lock, and all connections in use',
    onPostgres(
      async (service, own) => {
        await cause(['AnimalStoreInternalErrors', 'AnimalStoreJobFails'], service, async () => {
          await own.sql`ALTER TABLE animal_store.orders RENAME TO lost`;
          await fetch(`${service.origin}/v1/store/orders`, bearer(service.firstKey ?? ''));
        });
        await own.sql`ALTER TABLE animal_store.lost RENAME TO orders`;
        // A lock makes jobs fail, too, so it comes last.
        await cause(['AnimalStorePoolExhausted', 'AnimalStoreRequestsUnavailable'], service, () =>
          deleteLocked(service, own, 20),
        );
      },
      // The connections are in use until then. A scrape may come late on a busy machine, and waits half a second.
      '--database-timeout',
      '2s',
    ),
  );

  test(
    'a request that takes longer than the timeout',
    onPostgres(
      (service, own) =>
        cause(['AnimalStoreDeadlinesExceeded'], service, () => deleteLocked(service, own, 1)),
      '--request-timeout',
      '300ms',
    ),
  );

  test('a pooler at the address of the server', async () => {
    const own = await openScratch();
    const forwarder = await startForwarder(own.server);
    const pooler = await startPooler(own.server, { parameters: 'forwarded', sessions: 'shared' });
    const url = own.server.url(own.name, { port: forwarder.port });
    const service = await startService(url, [...METRICS, '--database-timeout', '700ms']);
    await withService(service, (running) =>
      cause(['AnimalStoreConnectionsRejected'], running, async () => {
        forwarder.retarget(pooler.port);
        await get(running, 1);
      }),
    );
    await Promise.all([forwarder.close(), pooler.close()]);
    await own.remove();
  });
});

test('each alert was caused by a test of this file', () => {
  const needMount = ['AnimalStoreWritesUnavailable', 'AnimalStoreStorageFull'];
  const needClock = ['AnimalStoreClockJumped', 'AnimalStoreClockBehind'];
  const missing = [...(canMount ? [] : needMount), ...(canSetClock ? [] : needClock)];
  const expected = alertRules().map(({ alert }) => alert);
  expect(expected.filter((alert) => !causes.caused.has(alert))).toEqual(missing);
});

test('each metric of the rules and of the dashboard is in a scrape of a service', () => {
  for (const path of ['prometheus/alerts.yml', 'grafana/animal-store.json']) {
    const names = metricNames(readDeployed(path));
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !causes.scraped.has(name))).toEqual([]);
  }
});
