import type { OnBatch } from '../measurements.ts';
import type { Observe } from '../observation.ts';
import { EventMetrics } from './event-metrics.ts';
import { family, type MetricFamily, type Snapshot } from './families.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { type NamedOperation, RequestMetrics } from './request-metrics.ts';
import { BatchMetrics } from './storage-metrics.ts';

/** Returns metrics that are read when all metrics are read. */
type MetricSource = () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>;

/** What runs: the values of `animal_store_build_info`, besides the runtime. */
export interface Build {
  readonly version: string;
  /** `unknown` if the program was built without git. */
  readonly commit: string;
  readonly schemaVersion: number;
}

export interface MetricsOptions {
  readonly build: Build;
  /** In the order of the positions that the router assigns. */
  readonly operations: readonly NamedOperation[];
}

/** The metrics of one process. */
export interface Metrics {
  readonly observe: Observe;
  readonly onBatch: OnBatch;
  addSource(source: MetricSource): void;
  collect(): Promise<Snapshot>;
}

/** Interprets observations as metrics. */
export function createMetrics({ build, operations }: MetricsOptions): Metrics {
  const requests = new RequestMetrics(operations);
  const events = new EventMetrics();
  const batches = new BatchMetrics();
  const ownProcess = new ProcessMetrics();
  const { version, commit, schemaVersion } = build;
  const labels = { version, commit, schema: `${schemaVersion}`, runtime: `bun ${Bun.version}` };
  const sources: MetricSource[] = [
    () => [family('animal_store_build_info', [{ labels, value: 1 }])],
    () => requests.collect(),
    () => events.collect(),
    () => batches.collect(),
    () => ownProcess.collect(),
  ];
  return {
    observe(observation) {
      if (observation.kind === 'request') requests.count(observation);
      else events.observe(observation);
    },
    onBatch: batches.onBatch,
    addSource: (source) => sources.push(source),
    collect: async () => (await Promise.all(sources.map((source) => source()))).flat(),
  };
}
