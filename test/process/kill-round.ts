import { Database } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, startService, until, withService, workplace } from '../support/process.ts';
import { startWriters } from './connection.ts';

const WRITERS = 64;

/** The service is killed while it is under load, this long after the first writes at most. */
const MAX_LIFE_MS = 500;

export interface KillRound {
  /** How many animals were answered with 201 before the kill. */
  readonly acknowledged: number;
  /** Those of them that are not there afterwards under the id they were answered with. */
  readonly lost: readonly string[];
  readonly duplicateIds: readonly number[];
  /** How many answers were neither 201 nor cut off. */
  readonly refused: number;
  /** What SQLite says of the file afterwards: `ok`. */
  readonly integrity: string;
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Kills the service with SIGKILL at a random moment under load, starts it again on the same file, and compares. */
export async function killRound(random: () => number): Promise<KillRound> {
  const place = workplace();
  try {
    const first = await startService(place.database, ['--log-level', 'error']);
    const key = first.firstKey ?? '';
    const written = await withService(first, async (service) => {
      const writers = startWriters({ origin: service.origin, key }, WRITERS);
      await until(() => writers.written.acknowledged.size > 0);
      await sleep(random() * MAX_LIFE_MS);
      service.signal('SIGKILL');
      await writers.finished;
      return writers.written;
    });
    const second = await startService(place.database, ['--log-level', 'error']);
    const names = await withService(second, ({ origin }) => readAll(origin, key));
    const lost = [...written.acknowledged].filter(([name, id]) => names.get(id) !== name);
    return {
      acknowledged: written.acknowledged.size,
      lost: lost.map(([name]) => name),
      duplicateIds: written.duplicateIds,
      refused: written.refused.length,
      integrity: checkIntegrity(place.database),
    };
  } finally {
    place.remove();
  }
}

/** The names of all animals by id, read over HTTP page by page. */
async function readAll(origin: string, key: string): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  let url: string | undefined = `${origin}/v1/pets?limit=100`;
  while (url !== undefined) {
    const response: Response = await fetch(url, bearer(key));
    const page = (await response.json()) as { id: number; name: string }[];
    for (const { id, name } of page) names.set(id, name);
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return names;
}

function checkIntegrity(database: string): string {
  const connection = new Database(database, { readwrite: true });
  try {
    return String(connection.query('PRAGMA integrity_check').values()[0]?.[0]);
  } finally {
    connection.close();
  }
}
