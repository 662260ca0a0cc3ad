import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { RECORDED_FILE } from './paths.ts';
import { toJson, type WorkloadResult } from './results.ts';

/** For each workload, the ratio of our processor time per request to that of other servers. */
type Ratios = Record<string, Record<string, number>>;

const read = (): Ratios =>
  existsSync(RECORDED_FILE) ? JSON.parse(readFileSync(RECORDED_FILE, 'utf8')) : {};

/** Records the ratios of these results. Ratios that were not measured stay. */
export function record(results: readonly WorkloadResult[]): void {
  const ratios = read();
  for (const { work, servers } of results) {
    const measured = servers.flatMap(({ name, oursToThisProcessorTime: ratio }) =>
      ratio === undefined ? [] : [[name, Number(ratio.median.toFixed(3))]],
    );
    ratios[work] = { ...ratios[work], ...Object.fromEntries(measured) };
  }
  writeFileSync(RECORDED_FILE, toJson(ratios));
}

/** The recorded ratio to a server, if there is one. */
export const recordedRatio = (workload: string, server: string): number | undefined =>
  read()[workload]?.[server];
