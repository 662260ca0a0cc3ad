import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, newPetRequest } from '../../test/process/connection.ts';

interface Addition {
  /** When it was due, in milliseconds since the epoch. */
  readonly dueMs: number;
  /** From then until its response. */
  readonly durationMs: number;
}

export interface PacedAdditions {
  /** The id of each name with response 201. */
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly additions: readonly Addition[];
  /** The number of responses other than 201, and of closed connections. */
  readonly failures: () => number;
  stop(): Promise<void>;
}

const CONNECTIONS = 100;
const TICK_MS = 10;

/**
 * Adds animals at a constant rate, whatever the service does: an addition that waits for a free connection counts from the
 * time at which it was due.
 */
export async function startAdditions(
  { origin, key }: { readonly origin: string; readonly key: string },
  perSecond: number,
): Promise<PacedAdditions> {
  const acknowledged = new Map<string, number>();
  const additions: Addition[] = [];
  const due: number[] = [];
  let failures = 0;
  let count = 0;
  let isOver = false;
  const client = async () => {
    const connection = await Connection.open(origin);
    if (connection === undefined) throw new Error('No connection.');
    while (!isOver || due.length > 0) {
      const dueMs = due.shift();
      if (dueMs === undefined) {
        await sleep(TICK_MS / 2);
        continue;
      }
      const name = `animal ${count++}`;
      connection.send(newPetRequest(key, name));
      const response = await connection.response();
      if (response?.status === 201) {
        acknowledged.set(name, (JSON.parse(response.body) as { id: number }).id);
        additions.push({ dueMs, durationMs: Date.now() - dueMs });
      } else failures += 1;
    }
    connection.close();
  };
  const clients = Array.from({ length: CONNECTIONS }, client);
  let scheduled = Date.now();
  const timer = setInterval(() => {
    for (const now = Date.now(); scheduled < now; scheduled += 1_000 / perSecond)
      due.push(scheduled);
  }, TICK_MS);
  return {
    acknowledged,
    additions,
    failures: () => failures,
    async stop() {
      clearInterval(timer);
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** The value below which this fraction of the values is. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
