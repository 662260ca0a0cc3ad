import { Database } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bearer,
  type RunningService,
  startService,
  until,
  withService,
  workplace,
} from '../support/process.ts';
import type { Random } from '../support/random.ts';
import { startWriters } from './connection.ts';

const WRITERS = 64;

/** The longest time from the first write to the kill. */
const MAX_UPTIME_MS = 500;

export interface KillRound {
  /** The number of animals with response 201 before the kill. */
  readonly acknowledged: number;
  /** The names of those that are missing afterwards, or have another id. */
  readonly lost: readonly string[];
  readonly duplicateIds: readonly number[];
  /** The number of complete responses other than 201. */
  readonly refused: number;
  /** The result of SQLite's integrity check afterwards: `ok`. */
  readonly integrity: string;
}

const start = (database: string) => startService(database, ['--log-level', 'error']);

/** Kills the service with SIGKILL at a random time under load, restarts it on the same file, and compares. */
export const killRound = (random: Random): Promise<KillRound> =>
  roundWith(start, async (service) => {
    await sleep(random() * MAX_UPTIME_MS);
    service.signal('SIGKILL');
  });

/** Starts a service, ends it under load, restarts it on the same file, and compares. */
async function roundWith(
  startFirst: (database: string) => Promise<RunningService>,
  end: (service: RunningService, key: string) => Promise<void>,
): Promise<KillRound> {
  using place = workplace();
  const first = await startFirst(place.database);
  const key = first.firstKey ?? '';
  const written = await withService(first, async (service) => {
    const writers = startWriters({ origin: service.origin, key }, WRITERS);
    await until(() => writers.written.acknowledged.size > 0);
    await end(service, key);
    await writers.finished;
    return writers.written;
  });
  const second = await start(place.database);
  const names = await withService(second, ({ origin }) => readAll(origin, key));
  const lost = [...written.acknowledged].filter(([name, id]) => names.get(id) !== name);
  return {
    acknowledged: written.acknowledged.size,
    lost: lost.map(([name]) => name),
    duplicateIds: written.duplicateIds,
    refused: written.refused.length,
    integrity: checkIntegrity(place.database),
  };
}

/** Reads the names of all animals by id over HTTP. */
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
