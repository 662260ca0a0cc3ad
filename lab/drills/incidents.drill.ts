/** What docs/monitor.md says about a large import and a PostgreSQL that is away for 10 s, with the real Prometheus. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { metricsUrl } from '../../test/support/metrics.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import {
  animalStore,
  bearer,
  commandOf,
  eventNames,
  inWorkplace,
  parseLog,
  postPet,
  type RunningService,
  startCommand,
} from '../../test/support/process.ts';
import { PROMETHEUS, type Prometheus, startPrometheus } from './prometheus.ts';

const LIMIT_MS = 400_000;
const ANIMALS = 100_000;
const AWAY_MS = 10_000;
const CLIENTS = 4;
const PAUSE_MS = 20;

/** Sends requests until `stop`, which resolves with the number of responses of each status. */
function startTraffic({ origin, firstKey = '' }: RunningService) {
  const statuses = new Map<number, number>();
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let sent = 0; !isOver; sent += 1) {
      const response =
        sent % 4 === 0
          ? await postPet(origin, firstKey, { name: 'Rex', categoryId: 1 })
          : await fetch(`${origin}/v1/pets?limit=10`, bearer(firstKey));
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  });
  const finished = Promise.all(clients);
  // A failed test kills the service, before it waits for this traffic.
  finished.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await finished;
      return statuses;
    },
  };
}

const start = (database: string) =>
  startCommand(commandOf('serve', '--port', '0', '--metrics-port', '0', '--database', database), {
    limitMs: LIMIT_MS,
  });

/** The alerts that are pending or firing. */
const alerts = async (prometheus: Prometheus): Promise<string[]> =>
  (await prometheus.query('ALERTS')).map(({ metric }) => `${metric['alertname']}`);

const isReady = async ({ origin }: RunningService): Promise<boolean> =>
  (await fetch(`${origin}/readyz`)).status === 200;

/** Imports under traffic. No request may fail, and nothing may be reported. */
async function importUnderTraffic(
  service: RunningService,
  prometheus: Prometheus,
  { database, file }: { database: string; file: string },
): Promise<void> {
  const traffic = startTraffic(service);
  const started = Date.now();
  const importing = animalStore(['import', file, '--database', database]);
  let hasEnded = false;
  importing.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    expect(await isReady(service)).toBe(true);
    await sleep(100);
  }
  expect((await importing).stderr).toBe(`Imported ${ANIMALS} animals.\n`);
  console.log(`imported in ${Date.now() - started} ms`);
  // Two scrapes.
  await sleep(2_000);
  expect([...(await traffic.stop()).keys()].sort()).toEqual([200, 201]);
  expect(await alerts(prometheus)).toEqual([]);
}

const animals = Array.from({ length: ANIMALS }, (_, index) =>
  JSON.stringify({ name: `Animal ${index}`, categoryId: index % 50 }),
).join('\n');

test.skipIf(PROMETHEUS === null)(
  'an import of 100,000 animals causes no failed request, no alert and no line in the log, on both engines',
  inWorkplace(async (place) => {
    const postgres = await startPostgres();
    const databases = [place.database, postgres.url(await postgres.createDatabase())];
    const file = await place.write('animals.ndjson', animals);
    for (const database of databases) {
      const service = await start(database);
      const prometheus = await startPrometheus([new URL(metricsUrl(service)).host]);
      try {
        await importUnderTraffic(service, prometheus, { database, file });
        const { stdout } = await service.stop();
        expect(eventNames(stdout)).toEqual([
          'api_key_created',
          'server_started',
          'shutdown_started',
          'shutdown_finished',
        ]);
      } finally {
        service.signal('SIGKILL');
        await prometheus.stop();
      }
    }
    await postgres.remove();
  }),
);

test.skipIf(PROMETHEUS === null)(
  'a PostgreSQL that is away for 10 s causes 503, two lines with its duration, and the alert of failed requests only',
  async () => {
    const postgres = await startPostgres();
    const service = await start(postgres.url(await postgres.createDatabase()));
    const prometheus = await startPrometheus([new URL(metricsUrl(service)).host]);
    try {
      const traffic = startTraffic(service);
      await sleep(3_000);
      await postgres.stop();
      const away = sleep(AWAY_MS);
      await sleep(AWAY_MS / 4);
      expect(await prometheus.query('animal_store_database_up')).toMatchObject([
        { value: [expect.any(Number), '0'] },
      ]);
      expect(await isReady(service)).toBe(false);
      expect(await alerts(prometheus)).toContain('AnimalStoreDatabaseUnavailable');
      await away;
      await postgres.restart();
      const fired = new Set<string>();
      for (const end = Date.now() + 70_000; Date.now() < end; await sleep(500)) {
        for (const alert of await prometheus.firing()) fired.add(alert.split(' ')[0] ?? '');
      }
      expect([...fired]).toEqual(['AnimalStoreRequestsUnavailable']);
      expect(await isReady(service)).toBe(true);
      const statuses = await traffic.stop();
      expect([...statuses.keys()].sort()).toEqual([200, 201, 503]);
      const lines = parseLog((await service.stop()).stdout);
      const [back] = lines.filter((line) => line['event.name'] === 'database_available');
      expect(lines.filter((line) => line['event.name'] === 'database_unavailable')).toHaveLength(1);
      expect(back?.['animal_store.database.unavailable_duration']).toBeGreaterThan(9);
      expect(back?.['animal_store.request.failed_count']).toBeGreaterThan(0);
    } finally {
      service.signal('SIGKILL');
      await prometheus.stop();
      await postgres.remove();
    }
  },
);
