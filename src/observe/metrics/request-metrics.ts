import { METHODS } from '../../http/request/methods.ts';
import type { RequestObservation } from '../attributes.ts';
import { Buckets } from './buckets.ts';
import { family, type MetricFamily, type Sample, single } from './families.ts';

/** The part of an operation that metrics need. */
export interface NamedOperation {
  readonly id: string;
  readonly method: string;
  readonly isDeprecated: boolean;
}

/** From the time of a cached response to the longest request timeout that is usual. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  30,
];

/** The methods of requests that no operation matched. Any other counts as the last one. */
const COUNTED_METHODS = [...METHODS, 'OPTIONS', 'other'];

const FIRST_STATUS = 100;
const STATUSES = 500;

const CACHES = ['response', 'credential'] as const;

/**
 * Counts requests. This runs for every request. It increments numbers in arrays, at an index of the position of the operation
 * and the status. Labels and text are made when the metrics are read.
 */
export class RequestMetrics {
  readonly #operations: readonly NamedOperation[];
  /** The operation and method of each row of `#counts`: operations, operations with HEAD, methods without an operation. */
  readonly #rows: readonly { readonly operation: string; readonly method: string }[];
  readonly #counts: Float64Array;
  readonly #durations: Buckets;
  readonly #caches = { response: new Float64Array(3), credential: new Float64Array(3) };
  #limited = 0;

  /** @param operations in the order of the positions that the router assigns. */
  constructor(operations: readonly NamedOperation[]) {
    this.#operations = operations;
    this.#rows = [
      ...operations.map(({ id, method }) => ({ operation: id, method })),
      ...operations.map(({ id }) => ({ operation: id, method: 'HEAD' })),
      ...COUNTED_METHODS.map((method) => ({ operation: 'none', method })),
    ];
    this.#counts = new Float64Array(this.#rows.length * STATUSES);
    this.#durations = new Buckets(
      'animal_store_http_request_duration_seconds',
      SECONDS,
      operations.length + 1,
    );
  }

  count(request: RequestObservation): void {
    const { operationIndex, method, status, responseCache, credentialCache } = request;
    const operations = this.#operations.length;
    const isKnown = operationIndex >= 0;
    const row = isKnown
      ? operationIndex + (method === 'HEAD' ? operations : 0)
      : 2 * operations + rowOf(method);
    const index = row * STATUSES + status - FIRST_STATUS;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#durations.observe(request.durationSeconds, isKnown ? operationIndex : operations);
    const { response, credential } = this.#caches;
    response[responseCache] = (response[responseCache] as number) + 1;
    credential[credentialCache] = (credential[credentialCache] as number) + 1;
    if (status === 429) this.#limited += 1;
  }

  collect(): MetricFamily[] {
    return [
      family('animal_store_http_requests_total', this.#requests()),
      family('animal_store_http_request_duration_seconds', this.#durationSamples()),
      family('animal_store_deprecated_requests_total', this.#deprecated()),
      family('animal_store_cache_hits_total', this.#cacheSamples(1)),
      family('animal_store_cache_misses_total', this.#cacheSamples(2)),
      single('animal_store_rate_limit_refusals_total', this.#limited),
    ];
  }

  /** Combinations that occurred. */
  #requests(): Sample[] {
    const samples: Sample[] = [];
    for (const [row, labels] of this.#rows.entries()) {
      for (let offset = 0; offset < STATUSES; offset += 1) {
        const value = this.#counts[row * STATUSES + offset] as number;
        if (value === 0) continue;
        samples.push({ labels: { ...labels, status: String(FIRST_STATUS + offset) }, value });
      }
    }
    return samples;
  }

  /** Operations that were called: a bucket is a series, and a service does not use all operations. */
  #durationSamples(): Sample[] {
    return [...this.#operations.map(({ id }) => id), 'none'].flatMap((operation, index) =>
      this.#durations.isEmpty(index) ? [] : this.#durations.samples({ operation }, index),
    );
  }

  #deprecated(): Sample[] {
    const requests = this.#requests();
    return this.#operations
      .filter(({ isDeprecated }) => isDeprecated)
      .map(({ id }) => ({
        labels: { operation: id },
        value: requests
          .filter(({ labels }) => labels['operation'] === id)
          .reduce((sum, { value }) => sum + value, 0),
      }));
  }

  #cacheSamples(use: number): Sample[] {
    return CACHES.map((cache) => ({
      labels: { cache },
      value: this.#caches[cache][use] as number,
    }));
  }
}

function rowOf(method: string): number {
  const row = COUNTED_METHODS.indexOf(method);
  return row === -1 ? COUNTED_METHODS.length - 1 : row;
}
