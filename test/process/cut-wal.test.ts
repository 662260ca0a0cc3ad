/** Another program cuts the -wal of a running service short: acknowledged changes are gone, and SQLite does not notice. */
import { expect, test } from 'bun:test';
import { statSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../support/create-key.ts';
import {
  animalStore,
  bearer,
  eventNames,
  postPet,
  startService,
  until,
  type Workplace,
  withService,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

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

/** Starts the service, cuts its -wal while clients write, and expects that it stops to work. */
async function cutWhileWriting({ database, file }: Workplace, share: number, workers: number) {
  const flags = ['--workers', String(workers)];
  const key = await createKey(database);
  const backup = await animalStore(['backup', file('backup.db'), '--database', database]);
  expect(backup.status).toBe(0);
  await withService(await startService(database, flags), async ({ origin, stop }) => {
    const adding = startAdding(origin, key);
    await until(() => adding.statuses[0].length > 20);
    expect(new Set(adding.statuses[0])).toEqual(new Set([201]));
    adding.cut(() => {
      const wal = `${database}-wal`;
      truncateSync(wal, Math.floor(statSync(wal).size * share));
    });
    await until(() => adding.statuses[1].length > 200);
    // The connections may lead to one worker only.
    const isReady = async () => (await fetch(`${origin}/readyz`)).status === 200;
    await until(async () => !(await isReady()) && !(await isReady()) && !(await isReady()));
    for (let time = 0; time < 10; time += 1) {
      for (const path of ['/readyz', '/v1/pets', '/v1/pets/1', '/v1/store/inventory']) {
        const { status } = await fetch(origin + path, bearer(key));
        expect([path, status]).toEqual([path, 503]);
      }
    }
    await adding.stop();
    expect(new Set(adding.statuses[1])).toEqual(new Set([503]));
    const { status, stdout } = await stop();
    expect(status).toBe(0);
    const lines = eventNames(stdout).filter((name) => name === 'database_damaged');
    expect(lines).toHaveLength(workers);
  });
  const refused = await animalStore(['serve', '--port', '0', '--database', database]);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    `animal-store: ${database} is damaged (acknowledged changes are missing, because ${database}-wal was cut short: ` +
      `see ${database}-damaged): stop everything that uses it, restore a backup with \`animal-store restore FILE\`, and start again.\n`,
  ]);
}

for (const [where, share, workers] of [
  ['to nothing', 0, 1],
  ['by a byte', 0.999_999, 1],
  ['to nothing', 0, 2],
] as const) {
  test.skipIf(process.platform !== 'linux')(
    `a -wal that is cut ${where} ends the work of ${workers} process(es): no addition is acknowledged after it, /readyz is 503, one line each, and no start until a backup is restored`,
    async () => {
      const { database, file, files } = place;
      await cutWhileWriting(place, share, workers);
      const restored = await animalStore(['restore', file('backup.db'), '--database', database]);
      expect(restored.status).toBe(0);
      await withService(await startService(database), async ({ origin }) => {
        expect((await fetch(`${origin}/readyz`)).status).toBe(200);
        expect(files()).not.toContain('animals.db-damaged');
      });
    },
  );
}

test.skipIf(process.platform !== 'linux')(
  'check names the missing changes, backup refuses them, and a start continues without them if the operator empties the file that says so',
  async () => {
    const { database, file, read, write, files } = place;
    await cutWhileWriting(place, 0, 1);
    const check = await animalStore(['check', '--database', database]);
    expect(check.status).toBe(1);
    expect(check.stdout).toContain('acknowledged changes are missing');
    const backup = await animalStore(['backup', file('later.db'), '--database', database]);
    expect([backup.status, backup.stderr]).toEqual([
      1,
      expect.stringContaining('acknowledged changes are missing'),
    ]);
    expect(read('animals.db-damaged').toString()).toContain('make this file empty');
    await write('animals.db-damaged', '');
    const service = await startService(database);
    await withService(service, async ({ origin, stderr }) => {
      expect((await fetch(`${origin}/readyz`)).status).toBe(200);
      expect(stderr()).toContain('damage was found in it before');
      expect(files()).not.toContain('animals.db-damaged');
    });
  },
);
