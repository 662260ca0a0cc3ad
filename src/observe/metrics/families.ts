import { METRICS, type MetricDeclaration, type MetricName } from './catalogue.ts';

export type Labels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** The name of the series, if it is not the name of the metric: series of a histogram have suffixes. */
  readonly metricName?: string;
}

/** A metric and all its values, in the form that prom-client returns and aggregates. It can be sent to another process. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'sum' | 'max' | 'min';
  readonly values: readonly Sample[];
}

/** All metrics of one process at one moment. */
export type Snapshot = readonly MetricFamily[];

/** The function that aggregates a metric. A value with the label `worker` is the value of one worker. */
export const aggregatorOf = ({ aggregation }: MetricDeclaration): MetricFamily['aggregator'] =>
  aggregation === 'each' ? 'max' : aggregation;

export function family(name: MetricName, values: readonly Sample[]): MetricFamily {
  const declaration: MetricDeclaration = METRICS[name];
  const { help, type } = declaration;
  return { name, help, type, aggregator: aggregatorOf(declaration), values };
}

/** A metric with one value, which has no labels. */
export const single = (name: MetricName, value: number): MetricFamily =>
  family(name, [{ labels: {}, value }]);

/** The metrics that only grow, which stay when their process exits. */
export const totalsOf = (snapshot: Snapshot): Snapshot =>
  snapshot.filter(({ type }) => type !== 'gauge');

/** Adds the label `worker` to the metrics that have one value for each worker. */
export const withWorker = (snapshot: Snapshot, worker: string): Snapshot =>
  snapshot.map((one) => {
    const { aggregation }: MetricDeclaration = METRICS[one.name as MetricName];
    if (aggregation !== 'each') return one;
    const values = one.values.map((sample) => ({
      ...sample,
      labels: { ...sample.labels, worker },
    }));
    return { ...one, values };
  });
