import { spawnSync } from 'node:child_process';
import postgres from 'postgres';
import { commandOf, type RunningService, startCommand } from '../../../test/support/process.ts';
import { eventually } from '../../eventually.ts';
import { DatabaseCluster, FILES, PORTS, SUPERUSER_PASSWORD } from './database-cluster.ts';
import {
  HOSTS,
  type HostNumber,
  insideOf,
  type Network,
  outsideOf,
  startNetwork,
} from './network.ts';
import { BINARIES, HostProcesses } from './processes.ts';

const OLDEST_PATRONI = '4.0.7';
const STORE_PASSWORD = 'of-store';
const [PORT, PRIMARY_PORT, STORE_PORT] = [3000, 5000, 8080];

/** The hosts with HAProxy and an instance of the service. */
const SERVING: readonly HostNumber[] = [1, 2];

/** Longer than any trial here. */
const LIMIT_MS = 2 * 3_600_000;

/** The programs that it needs. */
export const TOOLS = [
  ...['patroni', 'etcd', 'haproxy', 'setpriv', 'ip', 'unshare', 'nsenter'],
  `${BINARIES}/postgres`,
];

export interface Cluster {
  readonly network: Network;
  readonly processes: HostProcesses;
  readonly database: DatabaseCluster;
  /** The addresses of the two instances. */
  readonly instances: readonly string[];
  /** The addresses of HAProxy on their hosts, which leads requests to either instance. */
  readonly proxies: readonly string[];
  readonly key: string;
}

/** Runs `work` with a PostgreSQL that fails over and two instances of the service, on three hosts. */
export async function withCluster<T>(work: (cluster: Cluster) => Promise<T>): Promise<T> {
  requirePatroni();
  const network = await startNetwork();
  const processes = new HostProcesses(network);
  const services: RunningService[] = [];
  try {
    const database = new DatabaseCluster(processes);
    await database.whole();
    for (const host of SERVING) startProxy(processes, host);
    await createDatabase(await database.primary());
    for (const host of SERVING) services.push(await startInstance(network, host));
    return await work({
      ...{ network, processes, database },
      instances: SERVING.map((host) => `http://${outsideOf(host)}:${PORT}`),
      proxies: SERVING.map((host) => `http://${outsideOf(host)}:${STORE_PORT}`),
      key: services[0]?.firstKey ?? '',
    });
  } finally {
    for (const service of services) service.signal('SIGKILL');
    await processes.remove();
    await network.remove();
  }
}

/** Patroni 3.0.2 can let two nodes be the primary, and nobody has tried the versions between it and this one. */
function requirePatroni(): void {
  const { stdout } = spawnSync('patroni', ['--version'], { encoding: 'utf8' });
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown';
  if (version === 'unknown' || Bun.semver.order(version, OLDEST_PATRONI) < 0)
    throw new Error(`It needs Patroni ${OLDEST_PATRONI} or later, and this one is ${version}.`);
}

function startProxy(processes: HostProcesses, host: HostNumber): void {
  const entries = [
    ...HOSTS.flatMap((one) => [
      [`NODE${one}`, `${insideOf(one)}:${PORTS.postgres}`],
      [`NODE${one}_PATRONI`, String(PORTS.patroni)],
    ]),
    ...SERVING.map((one) => [`INSTANCE${one}`, `${insideOf(one)}:${PORT}`]),
  ];
  processes.start(`haproxy${host}`, host, ['haproxy', '-db', '-f', `${FILES}/haproxy.cfg`], {
    ...Object.fromEntries(entries),
    PRIMARY_LISTEN: `127.0.0.1:${PRIMARY_PORT}`,
    STORE_LISTEN: `${outsideOf(host)}:${STORE_PORT}`,
  });
}

/** Creates the role and the database of the service. */
async function createDatabase(primary: HostNumber): Promise<void> {
  const address = `${outsideOf(primary)}:${PORTS.postgres}`;
  const sql = postgres(`postgres://postgres:${SUPERUSER_PASSWORD}@${address}/postgres`, {
    max: 1,
    onnotice: () => {},
  });
  await sql.unsafe(`CREATE ROLE store LOGIN PASSWORD '${STORE_PASSWORD}'`);
  await sql.unsafe('CREATE DATABASE store OWNER store');
  await sql.end();
}

/** Starts an instance. HAProxy may still lead it to a standby, until its first checks are done. */
function startInstance(network: Network, host: HostNumber): Promise<RunningService> {
  const urlAt = (address: string) => `postgres://store:${STORE_PASSWORD}@${address}/store`;
  const command = commandOf(
    'serve',
    ...['--host', '0.0.0.0', '--port', String(PORT), '--log-level', 'error'],
    ...['--database', urlAt(`127.0.0.1:${PRIMARY_PORT}`)],
    ...[
      '--database-standby-urls',
      HOSTS.map((one) => urlAt(`${insideOf(one)}:${PORTS.postgres}`)).join(),
    ],
  );
  return eventually(`an instance on host ${host}`, () =>
    startCommand(network.on(host, command), { showsKey: host === SERVING[0], limitMs: LIMIT_MS }),
  );
}
