import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { BenchFailed } from './failure.ts';
import { RECORDED_FILE } from './paths.ts';
import { toJson, type WorkloadResult } from './results.ts';

/** For each workload, the ratio of our throughput to that of each other server. */
type Ratios = Record<string, Record<string, number>>;

/** A check fails if a ratio fell by more than this part of the recorded one. */
const MAX_LOSS = 0.25;

const ratiosOf = (results: readonly WorkloadResult[]): Ratios =>
  Object.fromEntries(
    results.map(({ work: workload, servers }) => [
      workload,
      Object.fromEntries(
        servers.flatMap(({ name, oursToThis }) =>
          oursToThis === undefined ? [] : [[name, Number(oursToThis.median.toFixed(3))]],
        ),
      ),
    ]),
  );

const read = (): Ratios =>
  existsSync(RECORDED_FILE) ? JSON.parse(readFileSync(RECORDED_FILE, 'utf8')) : {};

/** Records the ratios of these results. Ratios that were not measured stay. */
export function record(results: readonly WorkloadResult[]): void {
  const ratios = read();
  for (const [workload, measured] of Object.entries(ratiosOf(results))) {
    ratios[workload] = { ...ratios[workload], ...measured };
  }
  writeFileSync(RECORDED_FILE, toJson(ratios));
}

/** @throws BenchFailed if there are no recorded ratios. */
export function requireRecorded(): void {
  if (!existsSync(RECORDED_FILE)) {
    throw new BenchFailed(
      'There is no bench/recorded.json to compare with: create it with --record.',
    );
  }
}

/** Returns a sentence for each ratio that fell by more than a quarter. */
export function regressions(results: readonly WorkloadResult[]): string[] {
  const recorded = read();
  return Object.entries(ratiosOf(results)).flatMap(([workload, measured]) =>
    Object.entries(measured).flatMap(([server, now]) => {
      const before = recorded[workload]?.[server];
      if (before === undefined || now >= before * (1 - MAX_LOSS)) return [];
      const percent = Math.round((1 - now / before) * 100);
      return [`${workload}: ours/${server} fell by ${percent} %, from ${before} to ${now}.`];
    }),
  );
}
