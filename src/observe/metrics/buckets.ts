import type { Labels, Sample } from './families.ts';

/**
 * The counts of one or several histograms with the same buckets, in preallocated arrays. An observation increments numbers, and
 * neither allocates nor looks up labels.
 */
export class Buckets {
  readonly #name: string;
  /** Ascending. A value counts in the first bucket whose bound is not lower. */
  readonly #bounds: readonly number[];
  /** For each histogram the counts of its buckets, then the count of higher values. */
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;

  constructor(name: string, bounds: readonly number[], histograms = 1) {
    this.#name = name;
    this.#bounds = bounds;
    this.#counts = new Float64Array((bounds.length + 1) * histograms);
    this.#sums = new Float64Array(histograms);
  }

  /** Counts a value. @param histogram its index. */
  observe(value: number, histogram = 0): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    const index = histogram * (bounds.length + 1) + bucket;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#sums[histogram] = (this.#sums[histogram] as number) + value;
  }

  /** The samples of one histogram: cumulative buckets, sum and count. */
  samples(labels: Labels = {}, histogram = 0): Sample[] {
    const samples: Sample[] = [];
    const start = histogram * (this.#bounds.length + 1);
    let count = 0;
    for (const [bucket, bound] of [...this.#bounds, '+Inf'].entries()) {
      count += this.#counts[start + bucket] as number;
      const le = String(bound);
      samples.push({ labels: { ...labels, le }, value: count, metricName: `${this.#name}_bucket` });
    }
    const sum = this.#sums[histogram] as number;
    samples.push({ labels, value: sum, metricName: `${this.#name}_sum` });
    samples.push({ labels, value: count, metricName: `${this.#name}_count` });
    return samples;
  }

  /** Whether a histogram has no values. */
  isEmpty(histogram: number): boolean {
    const length = this.#bounds.length + 1;
    const counts = this.#counts.subarray(histogram * length, (histogram + 1) * length);
    return counts.every((count) => count === 0);
  }
}
