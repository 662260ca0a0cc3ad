import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import type { Environment } from './environment.ts';

const INTERVAL_MS = 20;

/** The number of consecutive counts that a maximum must last. */
const MIN_COUNTS = 25;

/** One response of `/readyz`. */
export interface Readiness {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
}

export interface Monitor {
  readonly readiness: readonly Readiness[];
  /**
   * The maximum number of open connections of the service. Short peaks do not count because a
   * replacement may be counted before the end of the closed connection.
   */
  readonly maxConnections: () => number;
  stop(): Promise<void>;
}

/** Checks the readiness of a service and counts its connections, repeatedly. */
export function startMonitor({ origin, forwarder }: Environment): Monitor {
  const readiness: Readiness[] = [];
  let maxConnections = 0;
  let isStopped = false;
  const checkReadiness = async (): Promise<void> => {
    while (!isStopped) {
      const sentMs = performance.now();
      const { status } = await fetch(`${origin}/readyz`);
      readiness.push({ sentMs, receivedMs: performance.now(), status });
      await sleep(INTERVAL_MS);
    }
  };
  const count = async (): Promise<void> => {
    const last: number[] = [];
    while (!isStopped) {
      last.push(forwarder.connections);
      if (last.length > MIN_COUNTS) last.shift();
      if (last.length === MIN_COUNTS) maxConnections = Math.max(maxConnections, Math.min(...last));
      await sleep(INTERVAL_MS);
    }
  };
  const finished = Promise.all([checkReadiness(), count()]);
  return {
    readiness,
    maxConnections: () => maxConnections,
    async stop() {
      isStopped = true;
      await finished;
    },
  };
}

export interface Backends {
  readonly all: number;
  readonly inTransaction: number;
}

/** Counts the sessions of the service in pg_stat_activity. */
export async function countBackends({ sql }: PostgresServer): Promise<Backends> {
  const [row] = await sql<[{ all: number; inTransaction: number }]>`
    SELECT count(*)::integer AS "all",
      (count(*) FILTER (WHERE state LIKE 'idle in transaction%'))::integer AS "inTransaction"
    FROM pg_stat_activity WHERE application_name = 'animal-store'`;
  return row;
}
