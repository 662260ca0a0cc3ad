import type { OnBatch, StorageMeasurements } from '../measurements.ts';
import { Buckets } from './buckets.ts';
import { family, type MetricFamily, single } from './families.ts';

/** Both engines put at most some 500 writes into one transaction. */
const WRITES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

const SECONDS = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Counts the transactions of a storage. */
export class BatchMetrics {
  readonly #sizes = new Buckets('animal_store_write_batch_size', WRITES);
  readonly #durations = new Buckets('animal_store_write_batch_duration_seconds', SECONDS);

  readonly onBatch: OnBatch = (writes, seconds) => {
    this.#sizes.observe(writes);
    this.#durations.observe(seconds);
  };

  collect(): MetricFamily[] {
    return [
      family('animal_store_write_batch_size', this.#sizes.samples()),
      family('animal_store_write_batch_duration_seconds', this.#durations.samples()),
    ];
  }
}

/** What a storage measures, as metrics. */
export function storageFamilies({ walBytes, pools = [] }: StorageMeasurements): MetricFamily[] {
  const wal = walBytes === undefined ? [] : [single('animal_store_sqlite_wal_bytes', walBytes)];
  if (pools.length === 0) return wal;
  return [
    ...wal,
    family(
      'animal_store_postgres_connections',
      pools.flatMap(({ name: pool, open, busy }) => [
        { labels: { pool, state: 'idle' }, value: open - busy },
        { labels: { pool, state: 'busy' }, value: busy },
      ]),
    ),
    family(
      'animal_store_postgres_connections_limit',
      pools.map(({ name: pool, limit }) => ({ labels: { pool }, value: limit })),
    ),
    family(
      'animal_store_postgres_waiting',
      pools.map(({ name: pool, waiting }) => ({ labels: { pool }, value: waiting })),
    ),
  ];
}
