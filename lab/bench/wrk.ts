import { BenchFailed } from './failure.ts';
import { WORKLOADS_FOLDER } from './paths.ts';
import { type Launch, requireSuccess, runToEnd, startProgram } from './processes.ts';
import type { Workspace } from './workspace.ts';

/** One run of the load generator. */
export interface Load {
  /** The Lua script in bench/workloads, and its arguments. */
  readonly script: string;
  readonly args: readonly string[];
  /** Absolute. Scripts with their own paths use its host alone. */
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /** Whether failed requests are counted, and no reason to stop. */
  readonly mayFail?: boolean;
}

/** The figures of one run. */
export interface Measured {
  readonly requests: number;
  /** Those with another response than 2xx or 3xx, or without one. */
  readonly failed: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How much of one processor the load generator used: 1 means that it was the limit. */
  readonly generatorLoad: number;
}

interface Report {
  readonly requests: number;
  readonly durationMicroseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: Readonly<Record<string, number>>;
}

/** @throws BenchFailed if wrk is missing, with the way to install it. */
export function requireWrk(): void {
  if (Bun.which('wrk') === null) {
    throw new BenchFailed(
      'wrk, the load generator, is not installed: apt-get install wrk (or: brew install wrk).',
    );
  }
}

/** A load that goes on until it is stopped. */
export interface RunningLoad {
  /** Stops it. @throws BenchFailed if a request failed or did not return 2xx. */
  stop(): Promise<Measured>;
}

/** Loads a server with one thread. @throws BenchFailed if a request failed or did not return 2xx. */
export function runWrk(workspace: Workspace, load: Load): Promise<Measured> {
  const launch = launchOf(load);
  return measured(load, launch, runToEnd(workspace, launch));
}

/** Starts to load a server with one thread, for `seconds` at most. */
export function startWrk(workspace: Workspace, load: Load): RunningLoad {
  const launch = launchOf(load);
  const { output, interrupt } = startProgram(workspace, launch);
  return {
    stop() {
      interrupt();
      return measured(load, launch, output);
    },
  };
}

const launchOf = ({ script, args, url, key, connections, seconds }: Load): Launch => ({
  command: [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    `${script}.lua`,
    '-H',
    `Authorization: Bearer ${key}`,
    url,
    '--',
    ...args,
  ],
  cwd: WORKLOADS_FOLDER,
});

async function measured(
  { script, url, mayFail = false }: Load,
  launch: Launch,
  running: ReturnType<typeof runToEnd>,
): Promise<Measured> {
  const { stdout, processorSeconds } = requireSuccess(launch, await running);
  const line = /^REPORT (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new BenchFailed(`wrk printed no report: ${stdout}`);
  return check(JSON.parse(line), processorSeconds, `${script} at ${url}`, mayFail);
}

function check(report: Report, processorSeconds: number, what: string, mayFail: boolean): Measured {
  const failed = Object.entries(report.errors).filter(([, count]) => count > 0);
  if (failed.length > 0 && !mayFail) {
    const counts = failed.map(([kind, count]) => `${count} ${kind}`).join(', ');
    throw new BenchFailed(`${what}: some of ${report.requests} requests failed (${counts}).`);
  }
  if (report.requests === 0) throw new BenchFailed(`${what}: there was no response.`);
  const seconds = report.durationMicroseconds / 1e6;
  return {
    requests: report.requests,
    failed: failed.reduce((sum, [, count]) => sum + count, 0),
    requestsPerSecond: report.requests / seconds,
    p50Ms: report.p50 / 1000,
    p99Ms: report.p99 / 1000,
    generatorLoad: processorSeconds / seconds,
  };
}
