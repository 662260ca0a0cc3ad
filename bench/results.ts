import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { RESULTS_FOLDER } from './paths.ts';
import type { Samples } from './rounds.ts';
import type { Sample } from './server.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';
import type { WorkloadName } from './workload-names.ts';
import { WORKLOADS } from './workloads.ts';

/** The result of one server in one workload. */
export interface ServerResult {
  readonly name: string;
  readonly title: string;
  readonly kind: 'ours' | 'limit' | 'peer';
  readonly requestsPerSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly readsP99Ms?: Spread;
  readonly readsP99WithoutWritesMs?: Spread;
  /** The ratio of our throughput to this one, if ours was measured. */
  readonly oursToThis?: Spread;
}

/** The result of one workload, as in the result files. */
export interface WorkloadResult {
  readonly work: WorkloadName;
  readonly title: string;
  readonly servers: readonly ServerResult[];
}

type Figure = keyof Sample;

export function resultOf(workload: WorkloadName, samples: Samples): WorkloadResult {
  const ofOurs = [...samples].find(([{ entry }]) => entry.kind === 'ours')?.[1];
  const servers = [...samples].map(([{ entry }, taken]): ServerResult => {
    const spread = (figure: Figure) => spreadOf(figures(taken, figure));
    const { name, title, kind } = entry;
    return {
      name,
      title,
      kind,
      requestsPerSecond: spread('requestsPerSecond'),
      p50Ms: spread('p50Ms'),
      p99Ms: spread('p99Ms'),
      ...(taken[0]?.readsP99Ms === undefined
        ? {}
        : {
            readsP99Ms: spread('readsP99Ms'),
            readsP99WithoutWritesMs: spread('readsP99WithoutWritesMs'),
          }),
      ...(kind === 'ours' || ofOurs === undefined
        ? {}
        : {
            oursToThis: ratioOf(
              figures(ofOurs, 'requestsPerSecond'),
              figures(taken, 'requestsPerSecond'),
            ),
          }),
    };
  });
  return { work: workload, title: WORKLOADS[workload].title, servers };
}

const figures = (samples: readonly Sample[], figure: Figure): number[] =>
  samples.map((sample) => sample[figure] ?? Number.NaN);

/** What the figures depend on apart from the servers. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  bun: Bun.version,
});

/** Writes a file to bench/results. Returns its path relative to the project's folder. */
export function writeResult(name: string, content: string): string {
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  writeFileSync(join(RESULTS_FOLDER, name), content);
  return `bench/results/${name}`;
}

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
