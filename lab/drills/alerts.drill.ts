/** The shipped files for Prometheus and Grafana, with the real Prometheus (Debian's package prometheus). */
import { expect, test } from 'bun:test';
import { copyFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../../test/process/children.ts';
import { alertRules, readDeployed } from '../../test/support/alert-rules.ts';
import { metricsUrl } from '../../test/support/metrics.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import {
  bearer,
  commandOf,
  inWorkplace,
  postPet,
  ROOT,
  type RunningService,
  runProgram,
  startCommand,
} from '../../test/support/process.ts';
import { PROMETHEUS, PROMTOOL, startPrometheus } from './prometheus.ts';

/** Longer than each `for` of the rules that fire here. */
const LIMIT_MS = 120_000;

const FOLDER = `${ROOT}deploy/prometheus`;
const promtool = (cwd: string, ...args: string[]) => runProgram([PROMTOOL ?? '', ...args], { cwd });

test.skipIf(PROMTOOL === null)('promtool accepts the configuration and the rules', async () => {
  expect((await promtool(FOLDER, 'check', 'config', 'prometheus.yml')).status).toBe(0);
  expect((await promtool(FOLDER, 'check', 'rules', 'alerts.yml')).status).toBe(0);
});

test.skipIf(PROMTOOL === null)(
  'promtool finds that a new store has two days for its first backup',
  async () => {
    const { status, stdout } = await promtool(FOLDER, 'test', 'rules', 'first-backup.test.yml');
    expect([status, stdout]).toEqual([0, expect.stringContaining('SUCCESS')]);
  },
);

test.skipIf(PROMTOOL === null)(
  'promtool finds that each alert fires on its fault, and that a rule that never fires fails the tests',
  inWorkplace(async ({ path, file }) => {
    const { status, stdout } = await promtool(FOLDER, 'test', 'rules', 'alerts.test.yml');
    expect([status, stdout]).toEqual([0, expect.stringContaining('SUCCESS')]);
    copyFileSync(`${FOLDER}/alerts.test.yml`, file('alerts.test.yml'));
    for (const { alert, expr } of alertRules()) {
      const never = readDeployed('prometheus/alerts.yml').replace(expr, 'vector(0) > 1');
      await Bun.write(file('alerts.yml'), never);
      const broken = await promtool(path, 'test', 'rules', 'alerts.test.yml');
      expect([alert, broken.status]).toEqual([alert, 1]);
    }
  }),
);

/** Sends requests to a service until `stop`, so that rates are not zero. */
function startTraffic({ origin, firstKey = '' }: RunningService): () => Promise<void> {
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      await postPet(origin, firstKey, { name: 'Rex', categoryId: 1 }).catch(() => {});
      for (const path of ['pets', 'pets/1', 'orders']) {
        await fetch(`${origin}/v1/${path}`, bearer(firstKey)).catch(() => {});
      }
      await sleep(20);
    }
  };
  const finished = run();
  return () => {
    isOver = true;
    return finished;
  };
}

/** The queries of the dashboard, with its variables as Grafana fills them in. */
const dashboardQueries = (): string[] => {
  const dashboard = JSON.parse(readDeployed('grafana/animal-store.json')) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  return dashboard.panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '10s'));
};

test.skipIf(PROMETHEUS === null)(
  'Prometheus answers the queries of the dashboard, and the alerts of lost databases, a killed worker and a killed service fire',
  inWorkplace(async ({ database }) => {
    const postgres = await startPostgres();
    const start = (url: string, ...flags: string[]) =>
      startCommand(
        commandOf('serve', '--port', '0', '--metrics-port', '0', '--database', url, ...flags),
        { limitMs: 400_000 },
      );
    const onSqlite = await start(database);
    const onPostgres = await start(postgres.url(await postgres.createDatabase()), '--workers', '2');
    const services = [onSqlite, onPostgres];
    const [sqlite = '', other = ''] = services.map((service) => new URL(metricsUrl(service)).host);
    const prometheus = await startPrometheus([sqlite, other]);
    const stopTraffic = services.map(startTraffic);

    const fires = async (alert: string): Promise<void> => {
      const deadline = Date.now() + LIMIT_MS;
      while (!(await prometheus.firing()).includes(alert)) {
        if (Date.now() > deadline) throw new Error(`${alert} does not fire.`);
        await sleep(500);
      }
    };
    try {
      await sleep(12_000);
      const queries = dashboardQueries();
      expect(queries.length).toBeGreaterThan(30);
      const empty: string[] = [];
      for (const query of queries) {
        if ((await prometheus.query(query)).length === 0) empty.push(query);
      }
      expect(empty).toEqual([]);
      expect(await prometheus.firing()).toEqual([]);

      renameSync(database, `${database}.moved`);
      await fires(`AnimalStoreDatabaseUnavailable ${sqlite}`);
      process.kill(childrenOf(onPostgres.pid)[0] ?? 0, 'SIGKILL');
      await fires(`AnimalStoreWorkerExited ${other}`);
      await postgres.kill();
      await fires(`AnimalStoreDatabaseUnavailable ${other}`);
      await fires(`AnimalStoreRequestsUnavailable ${other}`);
      onSqlite.signal('SIGKILL');
      await fires(`AnimalStoreDown ${sqlite}`);
    } finally {
      await Promise.all(stopTraffic.map((stop) => stop()));
      await prometheus.stop();
      for (const service of services) service.signal('SIGKILL');
      await Promise.all(services.map(({ ended }) => ended()));
      await postgres.remove();
    }
  }),
);
