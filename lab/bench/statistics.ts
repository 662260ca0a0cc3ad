/** The median and range of several measurements. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const below = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const above = sorted[Math.floor(middle)] ?? Number.NaN;
  return {
    median: (below + above) / 2,
    lowest: sorted[0] ?? Number.NaN,
    highest: sorted.at(-1) ?? Number.NaN,
  };
}

/** The value that this share of all values does not exceed (nearest rank). NaN without values. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The ratios of measurements taken in pairs, one right after the other: drift between the pairs cancels out. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Spread =>
  spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));

/** The probability with which the interval contains the median of the population. */
const CONFIDENCE = 0.95;

/**
 * An interval of the median that assumes nothing about the distribution: from the k-th lowest to the k-th highest
 * value. Fewer than six values have no such interval: it is their range then.
 */
export function intervalOfMedian(values: readonly number[]): Pick<Spread, 'lowest' | 'highest'> {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  let outside = 2 * 0.5 ** count;
  let combinations = 1;
  let left = 0;
  // The probability that at most `left` values are below the median, doubled for those above it.
  while (left < count / 2) {
    combinations *= (count - left) / (left + 1);
    outside += 2 * combinations * 0.5 ** count;
    if (outside > 1 - CONFIDENCE) break;
    left += 1;
  }
  return { lowest: sorted[left] ?? Number.NaN, highest: sorted[count - 1 - left] ?? Number.NaN };
}
