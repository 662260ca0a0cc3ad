import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chown, copyFile, mkdir, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { CHOSEN_VERSION, loadPrograms } from './postgres-versions.ts';
import { until } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts the server of a folder, and resolves when it accepts connections. */
export async function startPostmaster({ data, programs }: Home) {
  const postmaster = run(programs.postgres, ['-D', data], data);
  await until(() => {
    const { exitCode, signalCode } = postmaster.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`PostgreSQL did not start: ${postmaster.log()}`);
    return /ready to accept (read-only )?connections/.test(postmaster.log());
  });
  return postmaster;
}

/** Runs a program of PostgreSQL. `gone` resolves when it and all its children have exited. */
export function run(program: string, args: readonly string[], cwd: string) {
  const child = spawn(program, args, {
    ...OWNER,
    cwd,
    env: { LC_ALL: 'C', TZ: 'UTC' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log = (log + chunk).slice(-8_000);
  });
  // Children inherit standard error, so it closes with the last of them.
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, gone, log: () => log };
}

/** Removes what a killed server leaves: its lock file, and the shared memory named in it. */
export function clearRemains(data: string): void {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const segment = /^\s*\d+\s+(\d+)$/.exec(readFileSync(lock, 'utf8').split('\n')[6] ?? '')?.[1];
  if (segment !== undefined) spawnSync('sh', ['-c', 'ipcrm -m "$1"', 'sh', segment]);
  rmSync(lock);
}

/** Directories that a copy starts with empty. */
const NOT_COPIED = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)$/;

/** Copies the data directory of a running server: files may disappear during the copy. */
export async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  await chown(to, OWNER.uid, OWNER.gid);
  const copies = (await readdir(from, { withFileTypes: true })).map(async (entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name.startsWith('postmaster.')) return;
    if (entry.isDirectory()) return copyData(source, target);
    if (NOT_COPIED.test(basename(from))) return;
    await copyFile(source, target);
    await chown(target, OWNER.uid, OWNER.gid);
  });
  await Promise.all(copies.map((copy) => copy.catch(ignoreVanished)));
}

const ignoreVanished = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error;
};

/** PostgreSQL refuses to run as root, and every system has the user `nobody`. */
const OWNER =
  process.getuid?.() === 0
    ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') }
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

function idOfNobody(kind: '-u' | '-g'): number {
  return Number(spawnSync('id', [kind, 'nobody'], { encoding: 'utf8' }).stdout);
}

/**
 * Waits for the exit of this process for any reason (neither the end of `bun test` nor a kill
 * runs exit handlers), then stops the server and deletes the folder.
 */
const GUARD = `
trap '' HUP INT TERM
read -r _
lock="$1/data/postmaster.pid"
if pid=$(head -n 1 "$lock"); then
  kill -QUIT "$pid"
  for _ in 1 2 3 4 5 6 7 8 9; do [ -e "$lock" ] && sleep 0.1; done
  [ -e "$lock" ] && kill -KILL "$pid"
fi
rm -rf "$1"
`;

export type Home = Awaited<ReturnType<typeof guardedHome>>;

/** A folder for one server of a version, deleted by `remove` or when this process exits. */
export async function guardedHome(version = CHOSEN_VERSION) {
  const programs = await loadPrograms(version);
  const { path, file, remove } = temporaryFolder({ inMemory: true });
  const guard = spawn('sh', ['-c', GUARD, 'sh', path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  chownSync(path, OWNER.uid, OWNER.gid);
  const data = file('data');
  return {
    version,
    programs,
    path,
    data,
    write(name: string, content: string) {
      writeFileSync(join(data, name), content);
      chownSync(join(data, name), OWNER.uid, OWNER.gid);
    },
    remove() {
      remove();
      guard.stdin.end();
    },
  };
}

/** A port below the range for outgoing connections, so that it is free for a restart. The same port of UDP keeps it from other tests. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const [claim, probe] = [createSocket('udp4').unref(), createServer()];
    const isFree = await new Promise<boolean>((resolve) => {
      for (const socket of [claim, probe]) socket.once('error', () => resolve(false));
      const tryPort = () => probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
      claim.bind(port, '127.0.0.1', tryPort);
    });
    if (isFree) return port;
  }
}
