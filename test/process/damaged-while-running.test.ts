import { afterAll, beforeAll, expect, test } from 'bun:test';
import { closeSync, copyFileSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../support/create-key.ts';
import { bearer, eventNames, postPet, startService, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { addAnimals, maintain, maintained } from './maintained.ts';

const place = useEach(workplace);

/** As `addAnimals` adds them. */
const ANIMALS = 20_000;
const CATEGORIES = 7;
const animalOf = (id: number) =>
  JSON.stringify({ id, name: `animal ${id}`, categoryId: id % CATEGORIES, status: 'available' });
const firstPageOf = (category: number) =>
  `[${Array.from({ length: 100 }, (_, at) => animalOf(at * CATEGORIES + (category || CATEGORIES)))}]`;

/** A database with many animals, which tests copy, and its key. */
const filled = workplace();
let key: string;
beforeAll(async () => {
  await addAnimals(filled.database, ANIMALS);
  key = await createKey(filled.database);
});
afterAll(() => filled.remove());

/** Overwrites a part of the file, given by fractions of its size, with one byte. */
function overwrite(path: string, from: number, to: number, byte: number): void {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  const bytes = Buffer.alloc(Math.floor((to - from) * size), byte);
  writeSync(file, bytes, 0, null, Math.floor(from * size));
  closeSync(file);
}

const DAMAGE: Readonly<Record<string, (path: string) => void>> = {
  'is cut to nothing': (path) => truncateSync(path, 0),
  'is cut in half': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'is overwritten with garbage': (path) => overwrite(path, 0, 1, 0xa5),
  'has zeros in its middle': (path) => overwrite(path, 0.2, 0.9, 0),
};

/** Reads and adds animals until `stop`. Collects the responses that are neither correct nor 503. */
function startClients(origin: string, count: number) {
  const [wrong, statuses]: [string[], number[]] = [[], []];
  let isOver = false;
  const judge = async (response: Response, expected: string) => {
    const text = await response.text();
    statuses.push(response.status);
    const isUnavailable = response.status === 503 && text.includes('"unavailable"');
    if (!isUnavailable && !(response.ok && text.includes(expected)))
      wrong.push(`${response.status} ${response.url}: ${text}`);
  };
  const one = async (client: number) => {
    for (let round = 0; !isOver; round += 1) {
      const id = 1 + ((client * 7_919 + round * 104_729) % ANIMALS);
      await judge(await fetch(`${origin}/v1/pets/${id}`, bearer(key)), animalOf(id));
      const list = `${origin}/v1/pets?categoryId=${id % CATEGORIES}&limit=100`;
      await judge(await fetch(list, bearer(key)), firstPageOf(id % CATEGORIES));
      await judge(await postPet(origin, key, { name: 'new', categoryId: 99 }), '"name":"new"');
    }
  };
  const finished = Promise.all(Array.from({ length: count }, (_, client) => one(client)));
  return {
    wrong,
    statuses,
    async stop() {
      isOver = true;
      await finished;
    },
  };
}

/** Until /readyz is 503. No other failure may come before. */
const untilNotReady = (origin: string): Promise<void> =>
  until(async () => {
    const { status } = await fetch(`${origin}/readyz`);
    expect([200, 503]).toContain(status);
    return status === 503;
  });

for (const [what, damage] of Object.entries(DAMAGE)) {
  test(`a database file that ${what} under a running service causes no wrong response, 503 of /readyz, one log line, and no start`, async () => {
    const { database } = place;
    copyFileSync(filled.database, database);
    await using service = await startService(database);
    const clients = startClients(service.origin, 8);
    while (clients.statuses.length < 100) await sleep(1);
    expect(clients.statuses).not.toContain(503);
    damage(database);
    await untilNotReady(service.origin);
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    // Caches do not respond either.
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/store/inventory', '/readyz']) {
      expect((await fetch(service.origin + path, bearer(key))).status).toBe(503);
    }
    const { status, stdout } = await service.stop();
    expect(status).toBe(0);
    const events = eventNames(stdout);
    expect(events.filter((event) => event === 'database_damaged')).toHaveLength(1);
    expect(events.at(-1)).toBe('shutdown_finished');

    const refused = await maintain(database, 'keys', 'list');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      / (is damaged|is not an SQLite database)[^\n]*restore a backup with `animal-store restore FILE`/,
    );
  });
}

test('a backup that is restored after damage serves, and nothing says that the file is damaged', async () => {
  const { database, files } = place;
  copyFileSync(filled.database, database);
  await using damaged = await startService(database);
  DAMAGE['is cut in half']?.(database);
  await untilNotReady(damaged.origin);
  await damaged.stop();
  expect(files()).toContain('animals.db-damaged');
  await maintained(database, 'restore', filled.database);
  await using service = await startService(database);
  expect((await fetch(`${service.origin}/v1/pets/1`, bearer(key))).status).toBe(200);
  expect(files()).not.toContain('animals.db-damaged');
});
