import { closeSync, openSync, readSync } from 'node:fs';
import { BenchFailed } from '../failure.ts';
import type { Options } from '../options.ts';
import { oursOn } from '../ours.ts';
import { requireProcessorTime } from '../processor-time.ts';
import { machine, resultOf, toJson, writeResult } from '../results.ts';
import { measureInRounds } from '../rounds.ts';
import { ANIMALS } from '../rows.ts';
import type { RunningServer, ServerEntry, Workload } from '../server.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { renderWorkload } from '../table.ts';
import { WORKLOADS } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { copyFor, startOnCopy } from './catalogue.ts';
import { withInterval } from './other-interval.ts';
import { ratiosOf, renderRatios } from './paired.ts';

const WORKERS = [1, 2];
const COMMITS_PER_SECOND = 10;
const TARGET = 0.95;
/** The interval of the job that stores the usage. The commits are counted, so it shows if that changes. */
const USAGE_INTERVAL_MS = 10_000;

/** Measures the hot list while a background job commits ten times a second, and while it does not. */
export async function jobs(workspace: Workspace, options: Options): Promise<void> {
  requireProcessorTime();
  const results: object[] = [];
  for (const count of WORKERS) {
    const quiet = await startQuiet(workspace, count);
    const busy = await startBusy(workspace, count);
    const commits = new Map<RunningServer, number[]>();
    const workload = countingCommits(WORKLOADS['hot-list'], commits);
    const title = `Hot list, ${workersOf(count)}`;
    const samples = await measureInRounds(
      workspace,
      { ...workload, title },
      [quiet, busy],
      options,
    );
    const result = resultOf(`hot-list-${count}`, title, samples);
    const ratios = ratiosOf(samples);
    const commitsPerSecond = {
      without: measuredCommits(commits, quiet, options),
      with: measuredCommits(commits, busy, options),
    };
    requireCommits(commitsPerSecond.with);
    console.log(renderWorkload(result));
    const what = `${commitsPerSecond.with.median.toFixed(1)} commits per second`;
    console.log(renderRatios(ratios, what, TARGET));
    results.push({ ...result, workers: count, ratios, commitsPerSecond });
    for (const { process } of [quiet, busy]) await process.stop();
  }
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), rounds, seconds };
  const json = toJson({ ...head, target: TARGET, works: results });
  console.log(`Written: ${writeResult('jobs.json', json)}.`);
}

const workersOf = (count: number): string => `${count} ${count === 1 ? 'worker' : 'workers'}`;

const startQuiet = (workspace: Workspace, count: number): Promise<RunningServer> =>
  startOn(workspace, count, `quiet-${count}`, (database, name, flags) =>
    oursOn(database, name, 'without commits', flags),
  );

/** Each worker runs the job, so together they commit ten times a second. */
const startBusy = (workspace: Workspace, count: number): Promise<RunningServer> =>
  startOn(workspace, count, `busy-${count}`, (database, name, flags) => {
    const title = `${COMMITS_PER_SECOND} commits per second`;
    const entry = oursOn(database, name, title, flags);
    return withInterval(entry, USAGE_INTERVAL_MS, (1_000 * count) / COMMITS_PER_SECOND);
  });

const startOn = (
  workspace: Workspace,
  workers: number,
  name: string,
  entryOf: (database: string, name: string, flags: readonly string[]) => ServerEntry,
): Promise<RunningServer> =>
  startOnCopy(workspace, ANIMALS, name, (database) =>
    entryOf(database, name, ['--workers', String(workers)]),
  );

/** Adds the number of commits of each run to `commits`. The first run of a server warms it up. */
const countingCommits = (
  { title, measure }: Workload,
  commits: Map<RunningServer, number[]>,
): Workload => ({
  title,
  async measure(run) {
    const { workspace, server } = run;
    const path = copyFor(workspace, server.entry.name);
    const before = commitsIn(path);
    const sample = await measure(run);
    const count = (commitsIn(path) - before) >>> 0;
    commits.set(server, [...(commits.get(server) ?? []), count]);
    return sample;
  },
});

/** The position of the number of commits in the WAL-index, shared memory of all processes that have the file open. */
const COMMITS_AT = 8;

function commitsIn(databasePath: string): number {
  const file = openSync(`${databasePath}-shm`, 'r');
  const number = new Uint32Array(1);
  readSync(file, number, 0, number.byteLength, COMMITS_AT);
  closeSync(file);
  return number[0] ?? 0;
}

const measuredCommits = (
  commits: ReadonlyMap<RunningServer, readonly number[]>,
  server: RunningServer,
  { seconds }: Options,
): Spread => spreadOf((commits.get(server) ?? []).slice(1).map((count) => count / seconds));

/** @throws BenchFailed if the job did not run as often as the result would say. */
function requireCommits({ median }: Spread): void {
  if (Math.abs(median / COMMITS_PER_SECOND - 1) > 0.25) {
    throw new BenchFailed(
      `The service committed ${median.toFixed(1)} times a second instead of ${COMMITS_PER_SECOND} times.`,
    );
  }
}
