import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { RESULTS_FOLDER } from './paths.ts';
import type { Samples } from './rounds.ts';
import type { Sample } from './server.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';
import type { WorkName } from './work-names.ts';
import { WORKS } from './works.ts';

/** What one server did in one work. */
export interface ServerResult {
  readonly name: string;
  readonly title: string;
  readonly kind: 'ours' | 'limit' | 'peer';
  readonly requestsPerSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly readsP99Ms?: Spread;
  readonly readsP99WithoutWritesMs?: Spread;
  /** How many times as much ours did, where ours was measured too. */
  readonly oursToThis?: Spread;
}

export interface WorkResult {
  readonly work: WorkName;
  readonly title: string;
  readonly servers: readonly ServerResult[];
}

type Figure = keyof Sample;

export function resultOf(work: WorkName, samples: Samples): WorkResult {
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
  return { work, title: WORKS[work].title, servers };
}

const figures = (samples: readonly Sample[], figure: Figure): number[] =>
  samples.map((sample) => sample[figure] ?? Number.NaN);

/** What the figures depend on beside the servers. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  bun: Bun.version,
});

/** Writes a file under bench/results, and returns its path from the project's folder. */
export function writeResult(name: string, content: string): string {
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  writeFileSync(join(RESULTS_FOLDER, name), content);
  return `bench/results/${name}`;
}

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
