import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { RESULTS_FOLDER } from './paths.ts';
import type { Samples } from './rounds.ts';
import type { Sample } from './server.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

/** The result of one server in one workload: a spread for each figure of its samples. */
export interface ServerResult extends Record<RequiredFigure, Spread>, OptionalSpreads {
  readonly name: string;
  readonly title: string;
  readonly kind: 'ours' | 'limit' | 'peer';
  /** The ratio of our throughput to this one, if ours was measured. */
  readonly oursToThis?: Spread;
  /** The ratio of our processor time per request to this one, PostgreSQL included, if ours was measured. */
  readonly oursToThisProcessorTime?: Spread;
}

type RequiredFigure =
  | 'requests'
  | 'requestsPerSecond'
  | 'p50Ms'
  | 'p99Ms'
  | 'processorMicroseconds';
type OptionalSpreads = { readonly [figure in Exclude<keyof Sample, RequiredFigure>]?: Spread };

/** The result of one workload, as in the result files. */
export interface WorkloadResult {
  readonly work: string;
  readonly title: string;
  readonly servers: readonly ServerResult[];
}

export function resultOf(work: string, title: string, samples: Samples): WorkloadResult {
  const ofOurs = [...samples].find(([{ entry }]) => entry.kind === 'ours')?.[1];
  const servers = [...samples].map(([{ entry }, taken]): ServerResult => {
    const { name, title, kind } = entry;
    const ratios = kind === 'ours' || ofOurs === undefined ? {} : ratiosOf(ofOurs, taken);
    return { name, title, kind, ...spreadsOf(taken), ...ratios };
  });
  return { work, title, servers };
}

function spreadsOf(samples: readonly Sample[]): Record<RequiredFigure, Spread> & OptionalSpreads {
  const [first] = samples;
  const names = Object.keys(first ?? {}) as (keyof Sample)[];
  const spreads = names.map((name) => [name, spreadOf(figures(samples, name))]);
  return Object.fromEntries(spreads);
}

const ratiosOf = (ours: readonly Sample[], theirs: readonly Sample[]) => ({
  oursToThis: ratioOf(figures(ours, 'requestsPerSecond'), figures(theirs, 'requestsPerSecond')),
  oursToThisProcessorTime: spreadOf(processorTimeRatios(ours, theirs)),
});

/** In each round, our processor time per request divided by theirs. That of a PostgreSQL server counts, too. */
export function processorTimeRatios(ours: readonly Sample[], theirs: readonly Sample[]): number[] {
  const times = (samples: readonly Sample[]): number[] =>
    samples.map((sample) => sample.processorMicroseconds + (sample.databaseMicroseconds ?? 0));
  const ofTheirs = times(theirs);
  return times(ours).map((time, round) => time / (ofTheirs[round] ?? Number.NaN));
}

const figures = (samples: readonly Sample[], name: keyof Sample): number[] =>
  samples.map((sample) => sample[name] ?? Number.NaN);

/** What the figures depend on apart from the servers. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  bun: Bun.version,
});

/** Writes a file to lab/bench/results. Returns its path relative to the project's folder. */
export function writeResult(name: string, content: string): string {
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  writeFileSync(join(RESULTS_FOLDER, name), content);
  return `lab/bench/results/${name}`;
}

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
