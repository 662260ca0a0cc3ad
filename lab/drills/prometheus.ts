import { copyFileSync, mkdirSync } from 'node:fs';
import { readDeployed } from '../../test/support/alert-rules.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import { ROOT, until } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

/** The paths of the programs, null if they are not installed (Debian's package prometheus). */
export const PROMETHEUS = Bun.which('prometheus');
export const PROMTOOL = Bun.which('promtool');

/** It is killed after this time. */
const PROCESS_LIMIT_MS = 400_000;

interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Prometheus {
  /** Evaluates PromQL now. @throws if it is not valid. */
  query(expr: string): Promise<readonly QueryResult[]>;
  /** The firing alerts, as `name instance`. */
  firing(): Promise<string[]>;
  stop(): Promise<void>;
}

/** The targets, and shorter intervals, in place of those of the shipped configuration. Durations of alerts stay. */
const configurationFor = (targets: readonly string[]): string =>
  readDeployed('prometheus/prometheus.yml')
    .replace(/targets: .*/, `targets: ${JSON.stringify(targets)}`)
    .replaceAll('_interval: 15s', '_interval: 1s');

/** Starts Prometheus with the shipped configuration and rules, and waits for its first scrapes. */
export async function startPrometheus(targets: readonly string[]): Promise<Prometheus> {
  if (PROMETHEUS === null) throw new Error('Prometheus is not installed.');
  const folder = temporaryFolder();
  const port = await freePort();
  mkdirSync(folder.file('data'));
  copyFileSync(`${ROOT}deploy/prometheus/alerts.yml`, folder.file('alerts.yml'));
  await Bun.write(folder.file('prometheus.yml'), configurationFor(targets));
  const flags = [
    `--config.file=${folder.file('prometheus.yml')}`,
    `--storage.tsdb.path=${folder.file('data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawnGuarded([PROMETHEUS, ...flags], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: PROCESS_LIMIT_MS,
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await child.exited;
    folder.remove();
  };
  const query = async (expr: string): Promise<readonly QueryResult[]> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`;
    const answer = (await (await fetch(url)).json()) as {
      readonly error?: string;
      readonly data?: { readonly result: readonly QueryResult[] };
    };
    if (answer.data === undefined) throw new Error(`${expr}: ${answer.error}`);
    return answer.data.result;
  };
  await until(async () => {
    const up = await query('up').catch(() => []);
    return up.length === targets.length && up.every(({ value }) => value[1] === '1');
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    query,
    async firing() {
      const alerts = await query('ALERTS{alertstate="firing"}');
      return alerts.map(({ metric }) => `${metric['alertname']} ${metric['instance']}`).sort();
    },
    stop,
  };
}
