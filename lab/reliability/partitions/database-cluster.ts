import { readFileSync } from 'node:fs';
import { ROOT } from '../../../test/support/process.ts';
import { eventually } from '../../eventually.ts';
import { HOSTS, type HostNumber, insideOf, outsideOf } from './network.ts';
import { BINARIES, type HostProcesses } from './processes.ts';

export const FILES = `${ROOT}deploy/high-availability`;
export const SUPERUSER_PASSWORD = 'of-postgres';

export const PORTS = { postgres: 5432, patroni: 8008, etcd: 2379, etcdPeers: 2380 } as const;

/** The variables of a file for `EnvironmentFile=` of systemd. */
const variablesOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
  );

export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline: number;
}

const isSynchronous = ({ role }: Member): boolean => role === 'quorum_standby';

const hostOf = ({ name }: Member): HostNumber => Number(name.slice('node'.length)) as HostNumber;

/** PostgreSQL with Patroni and etcd on three hosts, with the files of `deploy/high-availability`. */
export class DatabaseCluster {
  constructor(readonly processes: HostProcesses) {
    for (const host of HOSTS) this.#startEtcd(host);
    for (const host of HOSTS) this.start(host);
  }

  #startEtcd(host: HostNumber): void {
    const peerOf = (one: HostNumber) => `http://${insideOf(one)}:${PORTS.etcdPeers}`;
    const clients = `http://${insideOf(host)}:${PORTS.etcd}`;
    this.processes.start(`etcd${host}`, host, ['etcd', '--log-level', 'error'], {
      ...variablesOf(`${FILES}/etcd.env`),
      ETCD_NAME: `node${host}`,
      ETCD_DATA_DIR: 'data',
      ETCD_LISTEN_CLIENT_URLS: clients,
      ETCD_ADVERTISE_CLIENT_URLS: clients,
      ETCD_LISTEN_PEER_URLS: peerOf(host),
      ETCD_INITIAL_ADVERTISE_PEER_URLS: peerOf(host),
      ETCD_INITIAL_CLUSTER: HOSTS.map((one) => `node${one}=${peerOf(one)}`).join(),
    });
  }

  /** Starts Patroni, which starts PostgreSQL. */
  start(host: HostNumber): void {
    const address = insideOf(host);
    this.processes.start(`node${host}`, host, ['patroni', `${FILES}/patroni.yml`], {
      PATRONI_NAME: `node${host}`,
      PATRONI_ETCD3_HOSTS: HOSTS.map((one) => `${insideOf(one)}:${PORTS.etcd}`).join(),
      PATRONI_RESTAPI_LISTEN: `0.0.0.0:${PORTS.patroni}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:${PORTS.patroni}`,
      PATRONI_POSTGRESQL_LISTEN: `0.0.0.0:${PORTS.postgres}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:${PORTS.postgres}`,
      PATRONI_POSTGRESQL_DATA_DIR: this.processes.file(`node${host}`, 'data'),
      PATRONI_POSTGRESQL_BIN_DIR: BINARIES,
      PATRONI_SUPERUSER_PASSWORD: SUPERUSER_PASSWORD,
      PATRONI_REPLICATION_PASSWORD: 'of-replicator',
      PATRONI_REWIND_PASSWORD: 'of-rewinder',
    });
  }

  /** kill -9 of Patroni and PostgreSQL on a host. */
  kill(host: HostNumber): void {
    const file = this.processes.file(`node${host}`, 'data/postmaster.pid');
    const [postmaster] = readFileSync(file, 'utf8').split('\n');
    this.processes.signal(`node${host}`, 'SIGKILL');
    process.kill(Number(postmaster), 'SIGKILL');
  }

  /** A request to Patroni on a host. */
  async ask(host: HostNumber, path: string, method = 'GET', body?: object): Promise<Response> {
    return fetch(`http://${outsideOf(host)}:${PORTS.patroni}${path}`, {
      method,
      signal: AbortSignal.timeout(5_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The nodes as Patroni on a host knows them. */
  async members(host: HostNumber): Promise<readonly Member[]> {
    return ((await (await this.ask(host, '/cluster')).json()) as { members: Member[] }).members;
  }

  /** The timeline of the primary, as the first node says that answers. */
  async timeline(): Promise<number | undefined> {
    const members = await Promise.any(HOSTS.map((host) => this.members(host)));
    return members.find(({ role }) => role === 'leader')?.timeline;
  }

  /** The host of the primary, when exactly one host says that it has it. */
  primary(): Promise<HostNumber> {
    return eventually('a primary', async () => {
      const answers = await Promise.all(
        HOSTS.map(
          async (host) => (await this.ask(host, '/primary').catch(() => undefined))?.status,
        ),
      );
      const found = HOSTS.filter((host) => answers[host - 1] === 200);
      return found.length === 1 ? found[0] : undefined;
    });
  }

  /** The host of a standby whose receipt of a commit suffices. */
  standby(): Promise<HostNumber> {
    return eventually('a standby', async () => {
      const members = await this.members(await this.primary());
      const standby = members.find(isSynchronous);
      return standby && hostOf(standby);
    });
  }

  /** Resolves when both standbys follow the primary, and a commit waits for one of them, whichever it is. */
  whole(): Promise<true> {
    return eventually('three nodes', async () => {
      const members = await this.members(await this.primary());
      const isWhole =
        members.length === HOSTS.length &&
        members.filter(({ state }) => state === 'streaming').length === HOSTS.length - 1 &&
        new Set(members.map(({ timeline }) => timeline)).size === 1 &&
        members.filter(isSynchronous).length === HOSTS.length - 1;
      return isWhole || undefined;
    });
  }

  /** Makes commits wait for no standby. */
  async makeAsynchronous(): Promise<void> {
    const settings = { synchronous_mode: null, synchronous_mode_strict: null };
    await eventually('asynchronous commits', async () => {
      const primary = await this.primary();
      await this.ask(primary, '/config', 'PATCH', settings);
      const members = await this.members(primary);
      return !members.some(isSynchronous) || undefined;
    });
  }

  /** Makes the node on a host the primary: a planned switchover. */
  async movePrimary(to: HostNumber): Promise<void> {
    await eventually(`a primary on host ${to}`, async () => {
      const primary = await this.primary();
      if (primary === to) return true;
      const names = { leader: `node${primary}`, candidate: `node${to}` };
      await this.ask(primary, '/switchover', 'POST', names);
      return undefined;
    });
  }
}
