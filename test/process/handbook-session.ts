import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { guarded } from '../support/guard.ts';
import { freePort } from '../support/postgres-home.ts';
import { sharedPostgres } from '../support/postgres-server.ts';
import { BARE, commandOf, ROOT, type Workplace, workplace } from '../support/process.ts';
import { inOneShell, outputsOf } from '../support/shown-output.ts';
import type { HandbookBlock } from './handbook.ts';

/** The ports that the handbook shows: the service, its second and third instance, HAProxy, the metrics, Prometheus, two clusters. */
const PORTS = ['8080', '8081', '8082', '8404', '9464', '9090', '5432', '5433'];

/** Absolute paths that the handbook shows. */
const FOLDERS = [
  '/backups',
  '/backups/animal-store',
  '/etc/animal-store',
  '/offsite',
  '/opt/animal-store',
  '/usr/local/bin',
  '/var/lib/animal-store',
];

const FOLDER = '/srv/store';

/** The server and database of a URL that the handbook shows. */
const DATABASE = 'db.example:5432/store';

interface SessionOptions {
  /** The process group is killed after this time. */
  readonly limitMs: number;
  /** The command that runs the script whose path follows it. Default: sh. */
  readonly shell?: readonly string[] | undefined;
  /** The absolute paths to replace. Default: those that the handbook shows. */
  readonly folders?: readonly string[] | undefined;
  /** Addresses that the page shows, and those of the session. Default: a database of the shared server. */
  readonly addresses?: ReadonlyMap<string, string> | undefined;
  /** Prepares what the page expects. The script `bin/prepare.sh`, if it writes one, is the start of the session. */
  readonly prepare?: ((preparation: Preparation) => Promise<void>) | undefined;
}

export interface Preparation {
  /** The current folder of the page. Its folder `bin` is the first of the PATH. */
  readonly place: Workplace;
  /** Replaces ports, paths and the database of the page by those of the session. */
  readonly real: (text: string) => string;
}

/**
 * Runs blocks of a page in one shell, in a temporary folder with a copy of `deploy`. Ports, absolute paths and the
 * database of the page are replaced by free ones. Returns what each block printed, standard error included, with the
 * ports, paths and the database of the page.
 * @throws if a block has another exit status than the page says.
 */
export async function runBlocks(
  blocks: readonly HandbookBlock[],
  { limitMs, prepare, addresses, shell = ['sh'], folders = FOLDERS }: SessionOptions,
): Promise<string[]> {
  const place = workplace();
  const database = addresses === undefined ? await ownDatabase(blocks) : undefined;
  try {
    const substitutes = new Map(folders.map((path) => [path, place.file(path.slice(1))]));
    for (const port of PORTS) substitutes.set(port, String(await freePort()));
    if (database !== undefined) substitutes.set(DATABASE, database.address);
    for (const [address, own] of addresses ?? []) substitutes.set(address, own);
    const real = replacer([...substitutes]);
    const backwards = [...substitutes].map(([a, b]): [string, string] => [b, a]);
    const shown = replacer([...backwards, [place.path, FOLDER]]);
    copyDeploy(place, real);
    const program = `#!/bin/sh\nexec ${commandOf('"$@"').join(' ')}\n`;
    chmodSync(await place.write('bin/animal-store', program), 0o755);
    for (const path of folders) mkdirSync(place.file(path.slice(1)), { recursive: true });
    await prepare?.({ place, real });
    const { status, output } = await runScript(shell, real(scriptOf(blocks)), place, limitMs, {
      ...BARE,
      PATH: `${place.file('bin')}:${place.file('usr/local/bin')}:${process.env['PATH']}:/usr/sbin`,
      HOME: place.path,
      PORT: real('8080'),
    });
    if (status !== 0)
      throw new Error(`The commands failed with status ${status}: ${shown(output)}`);
    return outputsOf(output).map(shown);
  } finally {
    place.remove();
    await database?.drop();
  }
}

/** Replaces the first of each pair by the second, all in one pass. */
function replacer(pairs: readonly [string, string][]): (text: string) => string {
  const replacements = new Map(pairs);
  const any = new RegExp(pairs.map(([text]) => RegExp.escape(text)).join('|'), 'g');
  return (text) => text.replaceAll(any, (match) => replacements.get(match) ?? match);
}

/** A database on the server of the tests, if a block names one. */
async function ownDatabase(blocks: readonly HandbookBlock[]) {
  if (!blocks.some(({ text }) => text.includes(DATABASE))) return undefined;
  const server = await sharedPostgres();
  const name = await server.createDatabase();
  await server.sql.unsafe(
    // Two sessions may create it at the same moment.
    `DO $$ BEGIN CREATE ROLE store SUPERUSER LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`,
  );
  return { address: `127.0.0.1:${server.port}/${name}`, drop: () => server.dropDatabase(name) };
}

/** Copies the folder `deploy`, with the ports of this session. */
function copyDeploy(place: Workplace, real: (text: string) => string): void {
  cpSync(join(ROOT, 'deploy'), place.file('deploy'), { recursive: true });
  for (const name of readdirSync(place.file('deploy'), { recursive: true, encoding: 'utf8' })) {
    const path = place.file(join('deploy', name));
    if (statSync(path).isFile()) writeFileSync(path, real(readFileSync(path, 'utf8')));
  }
}

function scriptOf(blocks: readonly HandbookBlock[]): string {
  const parts = blocks.map(({ text, status, page, line }) => {
    if (status === 0) return text;
    const complaint = `echo "${page}:${line} ended with status $s, not ${status}."; exit 1`;
    return `s=0; ( set -e\n${text}) || s=$?\n[ "$s" = ${status} ] || { ${complaint}; }\n`;
  });
  const prepare = 'if [ -e bin/prepare.sh ]; then sh -e bin/prepare.sh; fi';
  return `exec 2>&1\nset -e\n${prepare}\n${inOneShell(parts)}`;
}

/** Runs a script in a process group of its own, and kills what is left of the group. */
async function runScript(
  [program = '', ...args]: readonly string[],
  script: string,
  place: Workplace,
  limitMs: number,
  env: Readonly<Record<string, string>>,
): Promise<{ status: number | null; output: string }> {
  const path = await place.write('bin/session.sh', script);
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = guarded(
    spawn(program, [...args, path], {
      cwd: place.path,
      env,
      detached: true,
      stdio: [...stdio],
    }),
  );
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const kill = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing of the group is left.
    }
  };
  const timer = setTimeout(kill, limitMs);
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  kill();
  await closed;
  return { status, output };
}
