import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailed } from './failure.ts';
import { ROOT } from './paths.ts';
import type { Workspace } from './workspace.ts';

type Variables = Readonly<Record<string, string>>;

/** How a process is started. */
export interface Launch {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly variables?: Variables;
  /** The user of the process, if it is another one. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  readonly stopSignal?: NodeJS.Signals;
  /** The key that this server accepts, if it cannot accept the given one. */
  readonly key?: string;
}

/** The user's own environment must not change the results. */
const BASE_ENVIRONMENT: Variables = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
  TMPDIR: process.env['TMPDIR'] ?? '/tmp',
  NODE_ENV: 'production',
};

const environmentOf = ({ variables = {} }: Launch): Variables => ({
  ...BASE_ENVIRONMENT,
  ...variables,
});

/** The longest time that a server may take to stop. */
const STOP_TIMEOUT_MS = 10_000;

export interface RunningProcess {
  readonly pid: number;
  /** Receives both output streams. */
  readonly logFile: string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a server process. It is stopped when the workspace is cleaned up, at the latest. */
export function startProcess(
  workspace: Workspace,
  launch: Launch,
  logFile: string,
): RunningProcess {
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
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(kill);
  };
  workspace.onCleanup(stop);
  return { pid: child.pid ?? 0, logFile, hasEnded, stop };
}

interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly processorSeconds: number;
}

interface RunningProgram {
  /** Resolves when the program has ended. */
  readonly output: Promise<Output>;
  /** Sends SIGINT. */
  interrupt(): void;
}

/** Starts a program that ends by itself, or when it is interrupted. */
export function startProgram(workspace: Workspace, launch: Launch): RunningProgram {
  const child = Bun.spawn([...launch.command], {
    ...launch.owner,
    cwd: launch.cwd ?? ROOT,
    env: environmentOf(launch),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  workspace.onCleanup(() => child.kill('SIGKILL'));
  const read = async (): Promise<Output> => {
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    const processorSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
    return { status: child.exitCode, stdout, stderr, processorSeconds };
  };
  return { output: read(), interrupt: () => child.kill('SIGINT') };
}

/** Runs a program and waits for its exit. */
export const runToEnd = (workspace: Workspace, launch: Launch): Promise<Output> =>
  startProgram(workspace, launch).output;

/** Like `runToEnd`. @throws BenchFailed if the program fails, with its last output. Arguments are left out: they may contain a key. */
export async function runOrFail(workspace: Workspace, launch: Launch): Promise<string> {
  return requireSuccess(launch, await runToEnd(workspace, launch)).stdout;
}

export function requireSuccess(launch: Launch, output: Output): Output {
  const { status, stdout, stderr } = output;
  if (status === 0) return output;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join('\n');
  throw new BenchFailed(`${launch.command[0]} failed (exit status ${status}): ${said}`);
}

/** Returns a port that is free now. */
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

const START_TIMEOUT_MS = 60_000;
const RESPONSE_TIMEOUT_MS = 5_000;

/** Waits until a GET of `url` returns 200. @throws BenchFailed with the end of the log if it does not. */
export async function waitUntilReady(
  running: RunningProcess,
  url: string,
  headers: Record<string, string>,
  pauseMs = 20,
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!running.hasEnded() && Date.now() < deadline) {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const request = fetch(url, { headers, keepalive: false, signal });
    const status = await request.then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => undefined,
    );
    if (status === 200) return;
    await sleep(pauseMs);
  }
  const log = readFileSync(running.logFile, 'utf8').trim().split('\n').slice(-8).join('\n');
  throw new BenchFailed(
    `${url} did not return 200. The log of the server ends with: ${log || 'nothing'}`,
  );
}
