import { loadavg } from 'node:os';
import { BenchFailed } from './failure.ts';
import {
  type Comparison,
  explainRegression,
  isRegression,
  renderIncrease,
  renderInterval,
} from './guard-verdict.ts';
import type { Options } from './options.ts';
import { requireProcessorTime } from './processor-time.ts';
import { record, recordedRatio } from './recorded.ts';
import { processorTimeRatios, resultOf, type WorkloadResult } from './results.ts';
import { measureInRounds, type Samples } from './rounds.ts';
import type { Sample } from './server.ts';
import { startServers } from './start-servers.ts';
import { spreadOf } from './statistics.ts';
import { microseconds, renderTable } from './table.ts';
import type { WorkloadName } from './workload-names.ts';
import { WORKLOADS } from './workloads.ts';
import { withWorkspace } from './workspace.ts';

/**
 * The server whose processor time is the measure for ours. It does the same kind of work, so that another machine, or
 * another hour, changes both alike.
 */
const REFERENCES: Record<WorkloadName, string> = {
  'hot-list': 'bun-serve',
  'hot-list-100': 'bun-serve-100',
  'cold-list': 'elysia',
  'cold-list-100': 'elysia',
  'one-animal': 'elysia',
  'create-32': 'create-limit',
  'create-128': 'create-limit',
  mixed: 'elysia',
  'pg-list': 'elysia-postgres',
  'pg-one-animal': 'elysia-postgres',
  'pg-create': 'elysia-postgres',
};

interface Pair {
  readonly result: WorkloadResult;
  readonly ratios: readonly number[];
}

/**
 * Compares our processor time per request with the recorded one, relative to a reference that is measured in the same
 * rounds. Measures a workload that took more than allowed once more, with newly started servers.
 * @throws BenchFailed if it then took more than allowed again.
 */
export async function guard(options: Options): Promise<void> {
  requireProcessorTime();
  warnIfBusy();
  const { workloads } = options;
  if (options.record) {
    const pairs = await measurePairs(workloads, options);
    record(pairs.map(({ result }) => result));
    console.log(renderPairs(pairs));
    return;
  }
  for (const workload of workloads) requireRecorded(workload);
  const suspicious = (await compare(workloads, options)).filter(isRegression);
  if (suspicious.length === 0) return;
  const names = suspicious.map(({ workload }) => workload);
  console.log(`More than allowed, measured again: ${names.join(', ')}.`);
  const found = (await compare(names, options)).filter(isRegression);
  if (found.length > 0) throw new BenchFailed(found.map(explainRegression).join('\nbench: '));
}

/** The load average above which other programs disturb the measurement. */
const BUSY_LOAD = 0.5;

function warnIfBusy(): void {
  const [load = 0] = loadavg();
  if (load <= BUSY_LOAD) return;
  console.error(`Other programs are running (load ${load.toFixed(1)}): the ratios may be wrong.`);
}

function requireRecorded(workload: WorkloadName): number {
  const recorded = recordedRatio(workload, REFERENCES[workload]);
  if (recorded === undefined) {
    throw new BenchFailed(
      `lab/bench/recorded.json has no ratio of ${workload} to ${REFERENCES[workload]}: record it with --check --record.`,
    );
  }
  return recorded;
}

async function compare(
  workloads: readonly WorkloadName[],
  options: Options,
): Promise<Comparison[]> {
  const pairs = await measurePairs(workloads, options);
  const comparisons = pairs.map(({ ratios }, index): Comparison => {
    const workload = workloads[index] as WorkloadName;
    return {
      workload,
      reference: REFERENCES[workload],
      ratios,
      recorded: requireRecorded(workload),
    };
  });
  console.log(renderPairs(pairs, comparisons));
  return comparisons;
}

const measurePairs = (workloads: readonly WorkloadName[], options: Options): Promise<Pair[]> =>
  withWorkspace(async (workspace) => {
    const against = workloads.map((workload) => REFERENCES[workload]);
    const servers = await startServers(workspace, { against, workloads });
    const pairs: Pair[] = [];
    for (const workload of workloads) {
      const pair = servers.filter(
        ({ entry: { kind, name, workloads } }) =>
          (kind === 'ours' || name === REFERENCES[workload]) && workloads.includes(workload),
      );
      if (pair.length < 2) throw new BenchFailed(`${workload} has no reference to compare with.`);
      const samples = await measureInRounds(workspace, WORKLOADS[workload], pair, options);
      pairs.push({ result: resultOf(workload, workload, samples), ratios: ratiosOf(samples) });
    }
    return pairs;
  });

function ratiosOf(samples: Samples): number[] {
  const taken = (isOurs: boolean): readonly Sample[] =>
    [...samples].find(([{ entry }]) => (entry.kind === 'ours') === isOurs)?.[1] ?? [];
  return processorTimeRatios(taken(true), taken(false));
}

function renderPairs(pairs: readonly Pair[], comparisons?: readonly Comparison[]): string {
  const head = ['CPU µs/request', 'ours', 'reference', '', 'ratio'];
  const rows = pairs.map(({ result: { title, servers }, ratios }, index) => {
    const ours = servers.find(({ kind }) => kind === 'ours');
    const reference = servers.find(({ kind }) => kind !== 'ours');
    const comparison = comparisons?.[index];
    return [
      title,
      microseconds(ours?.processorMicroseconds.median),
      microseconds(reference?.processorMicroseconds.median),
      reference?.name ?? '',
      spreadOf(ratios).median.toFixed(3),
      ...(comparison
        ? [renderInterval(comparison), comparison.recorded.toFixed(3), renderIncrease(comparison)]
        : []),
    ];
  });
  return renderTable([comparisons ? [...head, 'interval', 'recorded', 'change'] : head, ...rows]);
}
