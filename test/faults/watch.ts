import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../support/postgres-server.ts';
import type { Stage } from './stage.ts';

const INTERVAL_MS = 20;

/** Counts in a row that make what they show more than a moment. */
const A_WHILE = 5;

/** One answer of `/readyz`. */
export interface Readiness {
  readonly askedMs: number;
  readonly answeredMs: number;
  readonly status: number;
}

export interface Watch {
  readonly readiness: readonly Readiness[];
  /**
   * How many connections the service had open at once at most: for a while, since the end of one
   * may be seen after the beginning of the one that replaces it.
   */
  readonly mostConnections: () => number;
  stop(): Promise<void>;
}

/** Asks a service again and again whether it is ready, and looks how many connections it has. */
export function watch({ origin, forwarder }: Stage): Watch {
  const readiness: Readiness[] = [];
  let mostConnections = 0;
  let isStopped = false;
  const ask = async (): Promise<void> => {
    while (!isStopped) {
      const askedMs = performance.now();
      const { status } = await fetch(`${origin}/readyz`);
      readiness.push({ askedMs, answeredMs: performance.now(), status });
      await sleep(INTERVAL_MS);
    }
  };
  const count = async (): Promise<void> => {
    const last: number[] = [];
    while (!isStopped) {
      last.push(forwarder.connections);
      if (last.length > A_WHILE) last.shift();
      if (last.length === A_WHILE) mostConnections = Math.max(mostConnections, Math.min(...last));
      await sleep(INTERVAL_MS);
    }
  };
  const finished = Promise.all([ask(), count()]);
  return {
    readiness,
    mostConnections: () => mostConnections,
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

/** What a server knows of the service's connections to it. */
export async function backendsOf({ sql }: PostgresServer): Promise<Backends> {
  const [row] = await sql<[{ all: number; inTransaction: number }]>`
    SELECT count(*)::integer AS "all",
      (count(*) FILTER (WHERE state LIKE 'idle in transaction%'))::integer AS "inTransaction"
    FROM pg_stat_activity WHERE application_name = 'animal-store'`;
  return row;
}
