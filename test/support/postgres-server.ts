import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import postgres, { type Sql } from 'postgres';
import {
  clearRemains,
  copyData,
  freePort,
  guardedHome,
  type Home,
  run,
  startPostmaster,
} from './postgres-home.ts';
import { CHOSEN_VERSION, clusterFolder, moveOnce } from './postgres-versions.ts';
import { until } from './process.ts';

type PostgresSettings = Readonly<Record<string, string>>;

/** A real PostgreSQL on 127.0.0.1 with trust authentication, in its own folder. */
export interface PostgresServer {
  readonly port: number;
  /** For tests: the superuser in the database `postgres`. Reconnects after a restart. */
  readonly sql: Sql;
  /** The database URL; `port` may be that of a forwarder. */
  url(database?: string, options?: { port?: number; user?: string }): string;
  /** Creates a database, a copy of `template` if given, and resolves with its name. */
  createDatabase(template?: string): Promise<string>;
  /** Drops it, even while clients are connected. */
  dropDatabase(name: string): Promise<void>;
  /** kill -9 of the postmaster. Resolves when all its processes have exited and the folder is free. */
  kill(): Promise<void>;
  /** Fast shutdown: transactions are rolled back, everything else is on disk. */
  stop(): Promise<void>;
  /** Starts it again on its port and folder, after a stop if it runs. Resolves when it is ready. */
  restart(): Promise<void>;
  /** Stops it and deletes its folder. Idempotent. */
  remove(): Promise<void>;
  /**
   * Starts a standby of this server on another port. `name` is by default `standby`, and
   * `settings` override those of this server. Resolves when it accepts connections.
   */
  startStandby(options?: { name?: string; settings?: PostgresSettings }): Promise<StandbyServer>;
  /**
   * Makes commits wait for the standby of that name; undefined ends that. It affects only commits
   * with `synchronous_commit` on, which is not the default here. The standby must be running.
   */
  requireSynchronous(standby: string | undefined): Promise<void>;
}

/** A hot standby: read-only until it is promoted. */
interface StandbyServer extends PostgresServer {
  /** Resolves when it has replayed everything that its primary had written at the time of the call. */
  catchUp(): Promise<void>;
  /** Promotes it to a primary, and resolves when it accepts writes. */
  promote(): Promise<void>;
}

/** For speed: durability after a crash of the machine does not matter, unless a test overrides it. */
const FAST: PostgresSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '200',
  max_wal_size: '128MB', // the folder may be in memory
  jit: 'off',
  // Statistics of their own time change plans, and with them the order of equal rows.
  autovacuum: 'off',
};

/** Required by standbys and this file. */
const ALWAYS: PostgresSettings = {
  wal_level: 'replica',
  max_wal_senders: '8',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '100ms',
  hot_standby: 'on',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  dynamic_shared_memory_type: 'mmap', // in the folder, so that it is deleted with it
};

/**
 * An empty cluster of a version, never started. Copying it takes a tenth of the time of `initdb`, so it stays for all
 * processes. Another one needs another name.
 */
export async function emptyCluster(version = CHOSEN_VERSION): Promise<string> {
  const cluster = clusterFolder(version);
  if (existsSync(cluster)) return cluster;
  const { data, path, programs, remove } = await guardedHome(version);
  const flags = '--username=postgres --auth=trust --encoding=UTF8 --locale=C --wal-segsize=1';
  const initdb = run(programs.initdb, ['-D', data, '--no-sync', ...flags.split(' ')], path);
  await initdb.gone;
  if (initdb.child.exitCode !== 0) throw new Error(`initdb failed: ${initdb.log()}`);
  // A quarter of the files. The server creates them again when it needs them, and copies of the cluster and of databases are faster without.
  spawnSync('find', [data, '(', '-name', '*_fsm', '-o', '-name', '*_vm', ')', '-delete']);
  const own = `${cluster}-${crypto.randomUUID()}`;
  copyCluster(data, own);
  remove();
  moveOnce(own, cluster);
  return cluster;
}

function copyCluster(from: string, to: string): void {
  const { status } = spawnSync('cp', ['-a', from, to]);
  if (status !== 0) throw new Error(`The cluster cannot be copied to ${to}.`);
}

/** Starts a new, empty server. `settings` override those for speed. */
export async function startPostgres(
  options: { port?: number; settings?: PostgresSettings; version?: string } = {},
): Promise<PostgresServer> {
  const home = await guardedHome(options.version);
  copyCluster(await emptyCluster(home.version), home.data);
  return serve(home, options.port ?? (await freePort()), options.settings ?? {});
}

let shared: Promise<PostgresServer> | undefined;

/**
 * The server that all tests of a run share, each with its own databases. It starts on first use, and
 * its guard removes it after the run. A test that stops or kills a server starts its own.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

async function serve(home: Home, port: number, settings: PostgresSettings) {
  const configuration = Object.entries({ ...FAST, ...settings, ...ALWAYS, port: String(port) });
  const lines = configuration.map(([name, value]) => `${name} = ${quote(value)}\n`);
  home.write('postgresql.conf', lines.join(''));
  let postmaster = await startPostmaster(home);
  const stop = (signal: NodeJS.Signals): Promise<void> => {
    postmaster.child.kill(signal);
    return postmaster.gone;
  };
  const url: PostgresServer['url'] = (database = 'postgres', options = {}) =>
    `postgres://${options.user ?? 'postgres'}@127.0.0.1:${options.port ?? port}/${database}`;
  const sql = postgres(url(), { max: 4, onnotice: () => {}, backoff: () => 0.05 });
  let removed: Promise<void> | undefined;
  const server: PostgresServer = {
    port,
    sql,
    url,
    async createDatabase(template = 'template1') {
      const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
      // Copying the files takes a fifth of the time of writing them to the WAL.
      await sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY file_copy`;
      return name;
    },
    async dropDatabase(name) {
      await sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`;
    },
    async kill() {
      await stop('SIGKILL');
      clearRemains(home.data);
    },
    stop: () => stop('SIGINT'),
    async restart() {
      await stop('SIGINT');
      postmaster = await startPostmaster(home);
    },
    remove() {
      const stopped = () => Promise.all([stop('SIGQUIT'), sql.end({ timeout: 0 })]);
      removed ??= stopped().then(home.remove);
      return removed;
    },
    startStandby: ({ name = 'standby', settings: own = {} } = {}) =>
      startStandby(server, home, name, { ...settings, ...own }),
    async requireSynchronous(standby) {
      const names = standby === undefined ? '' : `"${standby}"`;
      await sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = ${quote(names)}`);
      await sql`SELECT pg_reload_conf()`;
      await until(async () => {
        const rows = await sql`SELECT application_name FROM pg_stat_replication
          WHERE sync_state = 'sync'`;
        return rows[0]?.['application_name'] === standby;
      });
    },
  };
  return server;
}

async function startStandby(
  primary: PostgresServer,
  { data, version }: Home,
  name: string,
  settings: PostgresSettings,
): Promise<StandbyServer> {
  const home = await guardedHome(version);
  const session = await primary.sql.reserve();
  try {
    await session`SELECT pg_backup_start(${name}, true)`;
    await copyData(data, home.data);
    const [backup] = await session`SELECT labelfile FROM pg_backup_stop(false)`;
    home.write('backup_label', backup?.['labelfile']);
  } finally {
    session.release();
  }
  home.write('standby.signal', '');
  home.write('postgresql.auto.conf', '');
  const follows = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
  const server = await serve(home, await freePort(), { ...settings, primary_conninfo: follows });
  return Object.assign(server, {
    async catchUp() {
      // A commit that is flushed immediately, for any settings of the server.
      await primary.sql.begin(async (sql) => {
        await sql`SET LOCAL synchronous_commit = local`;
        await sql`SELECT pg_logical_emit_message(true, 'now', '')`;
      });
      const [now] = await primary.sql`SELECT pg_current_wal_flush_lsn() AS lsn`;
      await until(async () => {
        const [row] =
          await server.sql`SELECT pg_last_wal_replay_lsn() >= ${now?.['lsn']} AS reached`;
        return row?.['reached'];
      });
    },
    async promote() {
      await server.sql`SELECT pg_promote()`;
    },
  });
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
