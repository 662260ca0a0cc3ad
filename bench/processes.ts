import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailed } from './failure.ts';
import { ROOT } from './paths.ts';
import type { Place } from './place.ts';

type Variables = Readonly<Record<string, string>>;

/** How a process is started. */
export interface Launch {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly variables?: Variables;
  /** Whose process it is, if not ours. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  readonly stopSignal?: NodeJS.Signals;
  /** The key that this server accepts, where it cannot take the one it was given. */
  readonly key?: string;
}

/** No setting of the person's own environment changes what is measured. */
const BARE: Variables = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
  TMPDIR: process.env['TMPDIR'] ?? '/tmp',
  NODE_ENV: 'production',
};

const environmentOf = ({ variables = {} }: Launch): Variables => ({ ...BARE, ...variables });

/** How long a server may take to end after it was told to. */
const STOP_PATIENCE_MS = 10_000;

export interface RunningProcess {
  readonly pid: number;
  /** Both output streams go to this file. */
  readonly logFile: string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a process that serves. It is stopped at the end of the place at the latest. */
export function startProcess(place: Place, launch: Launch, logFile: string): RunningProcess {
  const log = openSync(logFile, 'a');
  const [program = '', ...args] = launch.command;
  const child = spawn(program, args, {
    ...launch.owner,
    cwd: launch.cwd ?? ROOT,
    env: environmentOf(launch),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const hasEnded = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    child.kill(launch.stopSignal ?? 'SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
    await ended;
    clearTimeout(kill);
  };
  place.atEnd(stop);
  return { pid: child.pid ?? 0, logFile, hasEnded, stop };
}

interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function runToEnd(place: Place, launch: Launch): Promise<Output> {
  const child = Bun.spawn([...launch.command], {
    ...launch.owner,
    cwd: launch.cwd ?? ROOT,
    env: environmentOf(launch),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  place.atEnd(() => child.kill('SIGKILL'));
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { status: child.exitCode, stdout, stderr };
}

/** As `runToEnd`. @throws BenchFailed when the program fails, with what it said last. Its arguments may hold a key, and are not told. */
export async function runWell(place: Place, launch: Launch): Promise<string> {
  const { status, stdout, stderr } = await runToEnd(place, launch);
  if (status === 0) return stdout;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join('\n');
  throw new BenchFailed(`${launch.command[0]} failed (exit status ${status}): ${said}`);
}

/** Which port is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

const START_PATIENCE_MS = 60_000;
const ANSWER_PATIENCE_MS = 5_000;

/** Resolves when a GET of `url` is answered with 200. @throws BenchFailed with the end of the log otherwise. */
export async function untilAnswered(
  running: RunningProcess,
  url: string,
  headers: Record<string, string>,
  pauseMs = 20,
): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  while (!running.hasEnded() && Date.now() < deadline) {
    const signal = AbortSignal.timeout(ANSWER_PATIENCE_MS);
    const request = fetch(url, { headers, keepalive: false, signal });
    const status = await request.then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => undefined,
    );
    if (status === 200) return;
    await sleep(pauseMs);
  }
  const log = readFileSync(running.logFile, 'utf8').trim().split('\n').slice(-8).join('\n');
  throw new BenchFailed(`${url} was not answered with 200. The server said: ${log || 'nothing'}`);
}
