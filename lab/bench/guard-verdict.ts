import { intervalOfMedian, spreadOf } from './statistics.ts';
import type { WorkloadName } from './workload-names.ts';

/** One workload: our processor time per request relative to a reference, in each of the paired rounds. */
export interface Comparison {
  readonly workload: WorkloadName;
  readonly reference: string;
  readonly ratios: readonly number[];
  readonly recorded: number;
}

/** A ratio may exceed the recorded one by this part. */
const MAX_INCREASE = 0.1;

const increaseOf = ({ ratios, recorded }: Comparison): number =>
  spreadOf(ratios).median / recorded - 1;

/** Whether the increase is larger than allowed, and the interval excludes that there is none. */
export const isRegression = (comparison: Comparison): boolean =>
  increaseOf(comparison) > MAX_INCREASE &&
  intervalOfMedian(comparison.ratios).lowest > comparison.recorded;

/** Signed, in per cent. */
export function renderIncrease(comparison: Comparison): string {
  const percent = increaseOf(comparison) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

export const renderInterval = ({ ratios }: Comparison): string => {
  const { lowest, highest } = intervalOfMedian(ratios);
  return `${lowest.toFixed(3)}–${highest.toFixed(3)}`;
};

/** A sentence for the user about a comparison that failed. */
export const explainRegression = (comparison: Comparison): string =>
  `${comparison.workload}: a request took ${spreadOf(comparison.ratios).median.toFixed(3)} times the processor time of ` +
  `${comparison.reference} (interval ${renderInterval(comparison)}), recorded are ${comparison.recorded.toFixed(3)}: ` +
  `${renderIncrease(comparison)}, more than ${MAX_INCREASE * 100} %.`;
