import { AggregatorRegistry, Registry } from 'prom-client';
import type { Snapshot } from './families.ts';

const TEXT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
const OPENMETRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

export type ExpositionType = typeof TEXT_TYPE | typeof OPENMETRICS_TYPE;

/**
 * The format for an Accept header: OpenMetrics if it weighs at least as much as plain text, as in Prometheus. Otherwise
 * the text format 0.0.4.
 */
export function negotiate(accept: string | null): ExpositionType {
  const weight = (type: RegExp): number => {
    const parts = (accept ?? '').split(',').filter((part) => type.test(part.trim()));
    return Math.max(0, ...parts.map((part) => Number(/;\s*q=([0-9.]+)/i.exec(part)?.[1] ?? 1)));
  };
  const openMetrics = weight(/^application\/openmetrics-text\s*(?:;|$)/i);
  const text = weight(/^text\/(?:plain|\*)\s*(?:;|$)/i);
  return openMetrics > 0 && openMetrics >= text ? OPENMETRICS_TYPE : TEXT_TYPE;
}

/** The sum of several snapshots. */
export const aggregate = (snapshots: readonly Snapshot[]): Snapshot =>
  (AggregatorRegistry.aggregate([...snapshots]).getMetricsAsArray() as unknown as Snapshot).map(
    ({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }),
  );

/** Renders the metrics of one or more processes as one text. */
export async function render(
  snapshots: readonly Snapshot[],
  type: ExpositionType,
): Promise<string> {
  const named = type === OPENMETRICS_TYPE ? snapshots.map(withoutTotal) : snapshots;
  const registry: Registry<ExpositionType> = AggregatorRegistry.aggregate([...named]);
  registry.setContentType(type);
  return registry.metrics();
}

/** In OpenMetrics, the name of a counter has no `_total`. The library adds it to the names of its series. */
const withoutTotal = (snapshot: Snapshot): Snapshot =>
  snapshot.map((family) =>
    family.type === 'counter' ? { ...family, name: family.name.replace(/_total$/, '') } : family,
  );
