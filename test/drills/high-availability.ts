import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { GUARD } from '../support/guard.ts';
import { freePort } from '../support/postgres-home.ts';
import { commandOf, ROOT, type RunningService, startCommand } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BINARIES = '/usr/lib/postgresql/15/bin';
const SEARCHED = `${process.env['PATH']}:/usr/sbin:${BINARIES}`;
const FILES = `${ROOT}deploy/high-availability`;

/** The needed programs that are not installed. */
export const MISSING = ['patroni', 'etcd', 'haproxy', 'pg_rewind', 'setpriv'].filter(
  (program) => Bun.which(program, { PATH: SEARCHED }) === null,
);

const NODES = [1, 2, 3] as const;
type NodeNumber = (typeof NODES)[number];

const SUPERUSER_PASSWORD = 'of-postgres';
const STORE_PASSWORD = 'of-store';

/** Longer than the cluster takes to elect a primary, on a busy machine. */
const LIMIT_MS = 90_000;
const LIMIT_OF_DRILL_MS = 900_000;

/** Resolves with the first result that is not undefined. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await sleep(200)) {
    const result = await attempt().catch(() => undefined);
    if (result !== undefined) return result;
  }
  throw new Error(`Timeout while waiting for ${what}.`);
}

const hostPort = (port: number): string => `127.0.0.1:${port}`;
const freePorts = (count: number) => Promise.all(Array.from({ length: count }, freePort));

type Run = (
  name: string,
  command: readonly string[],
  env?: Readonly<Record<string, string>>,
) => void;

/** Processes of the user `nobody`, each with a folder of its own. They end with this process. */
function startProcesses() {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody']).stdout);
  const [uid, gid] = [id('-u'), id('-g')];
  const asNobody =
    process.getuid?.() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  const running = new Map<string, ChildProcess>();
  const run: Run = (name, command, env = {}) => {
    const home = folder.file(name);
    mkdirSync(home, { recursive: true });
    chownSync(home, uid, gid);
    const child = spawn('setpriv', [...asNobody, 'sh', '-c', GUARD, 'sh', ...command], {
      cwd: home,
      env: { PATH: SEARCHED, LC_ALL: 'C.UTF-8', HOME: home, ...env },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    running.set(name, child);
  };
  const stop = async (name: string): Promise<void> => {
    const child = running.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    await gone;
  };
  return {
    folder,
    run,
    /** Stops them one after another, the last one first. */
    async remove() {
      for (const name of [...running.keys()].reverse()) await stop(name);
      folder.remove();
    },
    /** kill -9 of a process and its group. */
    kill(name: string) {
      const pid = running.get(name)?.pid;
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    },
  };
}

/** Runs etcd, and resolves with its port for clients. */
async function startEtcd(run: Run, data: string): Promise<number> {
  const [client = 0, peer = 0] = await freePorts(2);
  const [clientUrl, peerUrl] = [`http://${hostPort(client)}`, `http://${hostPort(peer)}`];
  run('etcd', [
    ...['etcd', '--data-dir', data, '--log-level', 'error'],
    ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `default=${peerUrl}`],
  ]);
  return client;
}

/** PostgreSQL on three nodes by Patroni. */
async function startNodes({ run, folder, kill }: ReturnType<typeof startProcesses>, etcd: number) {
  const ports = await Promise.all(NODES.map(() => freePorts(2)));
  const portsOf = (number: NodeNumber) => {
    const [server = 0, api = 0] = ports[number - 1] ?? [];
    return { server, api };
  };
  const dataOf = (number: NodeNumber) => folder.file(`node${number}/data`);
  const start = (number: NodeNumber) => {
    const { server, api } = portsOf(number);
    run(`node${number}`, ['patroni', `${FILES}/patroni.yml`], {
      PATRONI_NAME: `node${number}`,
      PATRONI_ETCD3_HOSTS: hostPort(etcd),
      PATRONI_RESTAPI_LISTEN: hostPort(api),
      PATRONI_RESTAPI_CONNECT_ADDRESS: hostPort(api),
      PATRONI_POSTGRESQL_LISTEN: hostPort(server),
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: hostPort(server),
      PATRONI_POSTGRESQL_DATA_DIR: dataOf(number),
      PATRONI_POSTGRESQL_BIN_DIR: BINARIES,
      PATRONI_SUPERUSER_PASSWORD: SUPERUSER_PASSWORD,
      PATRONI_REPLICATION_PASSWORD: 'of-replicator',
      PATRONI_REWIND_PASSWORD: 'of-rewinder',
    });
  };
  const ask = async (number: NodeNumber, path: string) =>
    (await fetch(`http://${hostPort(portsOf(number).api)}${path}`)).json() as Promise<unknown>;
  const isPrimary = async (number: NodeNumber): Promise<boolean> => {
    const { role, state } = (await ask(number, '/patroni')) as { role: string; state: string };
    return state === 'running' && (role === 'master' || role === 'primary');
  };
  const primary = () =>
    eventually('a primary', async () => {
      const found = await Promise.all(NODES.map((node) => isPrimary(node).catch(() => false)));
      return NODES[found.indexOf(true)];
    });
  for (const number of NODES) start(number);
  return {
    portsOf,
    start,
    primary,
    /** Resolves when all nodes run, and one standby is synchronous. */
    whole: () =>
      eventually('three nodes', async () => {
        type Cluster = { readonly members: readonly { role: string; state: string }[] };
        const { members } = (await ask(await primary(), '/cluster')) as Cluster;
        const isWhole =
          members.length === NODES.length &&
          members.every(({ state }) => ['running', 'streaming'].includes(state)) &&
          members.some(({ role }) => role === 'sync_standby');
        return isWhole || undefined;
      }),
    /** kill -9 of Patroni and PostgreSQL on a node. */
    kill(number: NodeNumber) {
      const postmaster = readFileSync(`${dataOf(number)}/postmaster.pid`, 'utf8').split('\n')[0];
      kill(`node${number}`);
      process.kill(Number(postmaster), 'SIGKILL');
    },
  };
}

/** More connections in a row than the proxy needs for its first checks, after which it knows the standbys. */
const CONNECTIONS_TO_PRIMARY = 10;

/** Creates the role and the database of the service. */
async function createDatabase(port: number): Promise<void> {
  const url = `postgres://postgres:${SUPERUSER_PASSWORD}@${hostPort(port)}/postgres`;
  const connect = () => postgres(url, { max: 1, onnotice: () => {} });
  let inARow = 0;
  await eventually('the primary alone behind the proxy', async () => {
    const sql = connect();
    const earlier = inARow;
    inARow = 0;
    const query = sql`SELECT 1 WHERE NOT pg_is_in_recovery()`;
    const [row] = await query.finally(() => sql.end());
    inARow = row === undefined ? 0 : earlier + 1;
    return inARow >= CONNECTIONS_TO_PRIMARY || undefined;
  });
  const sql = connect();
  await sql.unsafe(`CREATE ROLE store LOGIN PASSWORD '${STORE_PASSWORD}'`);
  await sql.unsafe('CREATE DATABASE store OWNER store');
  await sql.end();
}

/** A highly available PostgreSQL, and two instances of the service behind HAProxy, all on this machine. */
export async function startCluster() {
  const processes = startProcesses();
  const services: RunningService[] = [];
  const remove = async () => {
    for (const service of services) await service.stop();
    await processes.remove();
  };
  try {
    return { ...(await startAll(processes, services)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startAll(processes: ReturnType<typeof startProcesses>, services: RunningService[]) {
  const { run, folder } = processes;
  const nodes = await startNodes(processes, await startEtcd(run, folder.file('etcd/data')));
  await nodes.whole();
  const [primaryPort = 0, storePort = 0, ...instancePorts] = await freePorts(4);
  run('haproxy', ['haproxy', '-db', '-f', `${FILES}/haproxy.cfg`], {
    ...Object.fromEntries(
      NODES.flatMap((number) => [
        [`NODE${number}`, hostPort(nodes.portsOf(number).server)],
        [`NODE${number}_PATRONI`, String(nodes.portsOf(number).api)],
      ]),
    ),
    ...Object.fromEntries(
      instancePorts.map((port, index) => [`INSTANCE${index + 1}`, hostPort(port)]),
    ),
    PRIMARY_LISTEN: hostPort(primaryPort),
    STORE_LISTEN: hostPort(storePort),
  });
  await createDatabase(primaryPort);

  const urlAt = (port: number) => `postgres://store:${STORE_PASSWORD}@${hostPort(port)}/store`;
  const standbys = NODES.map((number) => urlAt(nodes.portsOf(number).server)).join();
  for (const port of instancePorts) {
    const flags = ['--database', urlAt(primaryPort), '--database-standby-urls', standbys];
    const command = commandOf('serve', '--port', String(port), '--log-level', 'warn', ...flags);
    const showsKey = services.length === 0;
    services.push(await startCommand(command, { showsKey, limitMs: LIMIT_OF_DRILL_MS }));
  }
  return {
    ...nodes,
    origin: `http://${hostPort(storePort)}`,
    instances: services.map(({ origin }) => origin),
    key: services[0]?.firstKey ?? '',
  };
}
