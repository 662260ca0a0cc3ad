/** A straight line through measurements, and how sure its slope is. */
export interface Slope {
  /** The mean of the values. */
  readonly mean: number;
  /** The change of the value over the whole time of the measurements. */
  readonly change: number;
  /** The bounds of the change, with a confidence of 95 %. */
  readonly low: number;
  readonly high: number;
}

const BLOCKS = 12;
/** Student's t for 95 % and two degrees of freedom less than there are blocks. */
const T = 2.228;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * The least-squares line through values at equal distances. Neighbours resemble each other, so the line is that of the
 * means of 12 blocks: the interval of a line through all values would be too narrow.
 */
export function slopeOf(values: readonly number[]): Slope {
  const size = values.length / BLOCKS;
  const means = Array.from({ length: BLOCKS }, (_, block) =>
    meanOf(values.slice(Math.floor(block * size), Math.floor((block + 1) * size))),
  );
  const mean = meanOf(means);
  const middle = (BLOCKS - 1) / 2;
  const spread = means.reduce((sum, _, block) => sum + (block - middle) ** 2, 0);
  const slope =
    means.reduce((sum, value, block) => sum + (block - middle) * (value - mean), 0) / spread;
  const residual = means.reduce(
    (sum, value, block) => sum + (value - mean - slope * (block - middle)) ** 2,
    0,
  );
  const error = Math.sqrt(residual / (BLOCKS - 2) / spread);
  const [change, margin] = [slope * BLOCKS, T * error * BLOCKS];
  return { mean, change, low: change - margin, high: change + margin };
}
