/** Another program cuts the -wal of a running service short: acknowledged changes are gone, and SQLite does not notice. */
import { describe, expect, test } from 'bun:test';
import { statSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../support/create-key.ts';
import { bearer, postPet, startService, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { logged } from './logged.ts';
import { maintain, maintained, withFile } from './maintained.ts';

const place = useEach(workplace);

const CLIENTS = 8;

/** So few that no checkpoint begins: a cut during a checkpoint may damage the file itself. */
const MAX_BEFORE_CUT = 60;

/** Adds animals until `stop`, and counts the responses by status, those to requests sent after `cut` apart. */
function startAdding(origin: string, key: string) {
  const statuses: [before: number[], after: number[]] = [[], []];
  let [isCut, isOver] = [false, false];
  const finished = Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        if (!isCut && statuses[0].length >= MAX_BEFORE_CUT) {
          await sleep(1);
          continue;
        }
        const into = statuses[isCut ? 1 : 0];
        const response = await postPet(origin, key, { name: 'Rex', categoryId: 1 });
        await response.text();
        into.push(response.status);
      }
    }),
  );
  return {
    statuses,
    cut(work: () => void) {
      work();
      isCut = true;
    },
    async stop() {
      isOver = true;
      await finished;
    },
  };
}

/**
 * Starts the service, cuts its -wal while clients write, and expects that no addition is acknowledged after it, that /readyz is 503, one
 * line of each process, and no start: `check` names the missing changes, and `backup` refuses them.
 */
async function cutWhileWriting(share: number, workers: number) {
  const { database, file } = place;
  const flags = ['--workers', String(workers)];
  const key = await createKey(database);
  await maintained(database, 'backup', file('backup.db'));
  await using service = await startService(database, flags);
  const { origin, stdout } = service;
  const adding = startAdding(origin, key);
  await until(() => adding.statuses[0].length > 20);
  expect(new Set(adding.statuses[0])).toEqual(new Set([201]));
  // Under the lock: a cut within a COMMIT is not found.
  withFile(database, (connection) => {
    connection.run('BEGIN IMMEDIATE');
    const wal = `${database}-wal`;
    adding.cut(() => truncateSync(wal, Math.floor(statSync(wal).size * share)));
  });
  await until(() => adding.statuses[1].length > 200);
  const damaged = () => logged(stdout(), 'database_damaged');
  // The connections of the clients may lead to one worker only.
  const headers = { ...bearer(key).headers, Connection: 'close' };
  const ask = () => fetch(`${origin}/v1/pets`, { headers });
  await until(async () => (await ask()) && damaged().length === workers);
  for (let time = 0; time < 10; time += 1) {
    for (const path of ['/readyz', '/v1/pets', '/v1/pets/1', '/v1/store/inventory']) {
      const { status } = await fetch(origin + path, bearer(key));
      expect([path, status]).toEqual([path, 503]);
    }
  }
  await adding.stop();
  expect(new Set(adding.statuses[1])).toEqual(new Set([503]));
  expect((await service.stop()).status).toBe(0);
  expect(damaged()).toHaveLength(workers);
  const refused = await maintain(database, 'keys', 'list');
  expect([refused.status, refused.stderr]).toEqual([
    1,
    `animal-store: ${database} is damaged (acknowledged changes are missing, because ${database}-wal was cut short: ` +
      `see ${database}-damaged): stop everything that uses it, restore a backup with \`animal-store restore FILE\`, and start again.\n`,
  ]);
  const missing = expect.stringContaining('acknowledged changes are missing');
  expect(await maintain(database, 'check')).toMatchObject({ status: 1, stdout: missing });
  const later = await maintain(database, 'backup', file('later.db'));
  expect(later).toMatchObject({ status: 1, stderr: missing });
}

/** Expects that the next start serves, and forgets the damage. Returns what it prints. */
async function expectReady(): Promise<string> {
  await using service = await startService(place.database);
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  expect(place.has('animals.db-damaged')).toBeFalse();
  return service.stderr();
}

describe.skipIf(process.platform !== 'linux')('a -wal that is cut', () => {
  test('to nothing ends the work of the service, until the operator empties the file that says so: it continues without the changes', async () => {
    await cutWhileWriting(0, 1);
    expect(place.read('animals.db-damaged').toString()).toContain('make this file empty');
    await place.write('animals.db-damaged', '');
    expect(await expectReady()).toContain('damage was found in it before');
  });

  test('by a byte ends the work of two workers, until a backup is restored', async () => {
    await cutWhileWriting(0.999_999, 2);
    await maintained(place.database, 'restore', place.file('backup.db'));
    await expectReady();
  });
});
