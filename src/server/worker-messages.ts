import type { Snapshot } from '../observe/metrics/families.ts';

/**
 * The messages between a supervisor and its workers. The supervisor also sends the name of a signal: the
 * worker stops.
 */

/** From a worker: it serves requests. */
export const LISTENING = 'listening';

/** From a worker: another worker is to take its place. */
export const REPLACE = 'replace';

/** To a worker: its successor serves requests. */
export const REPLACED = 'replaced';

/** To a worker: it is to send its metrics. */
export const COLLECT_METRICS = 'collect metrics';

/** From a worker: its metrics, after `COLLECT_METRICS` and once more before it exits. */
export interface MetricsMessage {
  readonly metrics: Snapshot;
}

export const isMetricsMessage = (message: unknown): message is MetricsMessage =>
  typeof message === 'object' && message !== null && 'metrics' in message;
