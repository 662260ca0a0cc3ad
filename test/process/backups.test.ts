/** A backup is put in the place of a database file whose service was killed, so that its WAL still lies there. */
import { expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {
  animalStore,
  bearer,
  inWorkplace,
  makeKey,
  ONE_SENTENCE,
  runProgram,
  startService,
  TEST_LIMIT_MS,
  until,
  type Workplace,
  withService,
} from '../support/process.ts';
import { startWriters } from './connection.ts';

const CHECKING = /^animal-store: Checking all of /m;

/** Serves on the file until so many animals were added, and then ends the service. */
async function serve(database: string, key: string, animals: number, end: NodeJS.Signals) {
  await withService(await startService(database), async (service) => {
    const { written, finished } = startWriters({ origin: service.origin, key }, 16);
    await until(() => written.acknowledged.size >= animals);
    service.signal(end);
    await service.ended();
    await finished;
  });
}

/** Serves, and kills the service: what it did last is in the WAL alone. */
async function serveAndKill({ database, has }: Workplace, key: string) {
  await serve(database, key, 200, 'SIGKILL');
  expect(has('animals.db-wal')).toBeTrue();
}

/** Makes a backup as the documentation has it, and later a WAL that does not fit it. Returns the key of both. */
async function backUpAndKill(place: Workplace): Promise<string> {
  const key = await makeKey(place.database);
  await serve(place.database, key, 200, 'SIGTERM');
  copyFileSync(place.database, place.file('backup.db'));
  await serve(place.database, key, 1_000, 'SIGTERM');
  await serveAndKill(place, key);
  return key;
}

const RESTORED: Readonly<Record<string, (place: Workplace) => unknown>> = {
  copied: ({ file, database }) => runProgram(['cp', file('backup.db'), database]),
  'copied with its times': ({ file, database }) =>
    runProgram(['cp', '-p', file('backup.db'), database]),
  moved: ({ file, database }) => renameSync(file('backup.db'), database),
};

for (const [how, restore] of Object.entries(RESTORED)) {
  test(
    `a backup that is ${how} to its place beside an old WAL is refused, changes nothing, and serves once the WAL is removed`,
    inWorkplace(async (place) => {
      const { database, file, read } = place;
      const key = await backUpAndKill(place);
      const backup = read('backup.db');
      await restore(place);
      const before = [read('animals.db'), read('animals.db-wal')];
      for (const command of [
        ['serve', '--port', '0'],
        ['keys', 'list'],
        ['serve', '--port', '0'],
      ]) {
        const { status, stdout, stderr } = await animalStore([...command, '--database', database]);
        expect(status).toBe(1);
        expect(stdout).toBe('');
        const [checking, refusal] = stderr.split(/(?<=\n)/);
        expect(checking).toMatch(CHECKING);
        expect(refusal).toMatch(ONE_SENTENCE);
        expect(refusal).toEndWith(
          `stop everything that uses it, remove ${database}-wal and ${database}-shm, put a backup in its place, and start again.\n`,
        );
        expect([read('animals.db'), read('animals.db-wal')]).toEqual(before);
      }
      for (const end of ['-wal', '-shm']) rmSync(database + end);
      writeFileSync(file('again.db'), backup);
      renameSync(file('again.db'), database);
      await withService(await startService(database), async ({ origin, greeting }) => {
        expect(greeting()).not.toMatch(CHECKING);
        expect((await fetch(`${origin}/v1/pets/1`, bearer(key))).status).toBe(200);
      });
    }),
    TEST_LIMIT_MS,
  );
}

test(
  'a file whose service was killed starts at once, and after a change of its mode once all of it was checked',
  inWorkplace(async (place) => {
    const key = await makeKey(place.database);
    const answers = async () =>
      await withService(
        await startService(place.database),
        async ({ origin, greeting, signal }) => {
          expect((await fetch(`${origin}/v1/pets/2`, bearer(key))).status).toBe(200);
          signal('SIGKILL');
          return greeting();
        },
      );
    await serveAndKill(place, key);
    expect(await answers()).not.toMatch(CHECKING);
    chmodSync(place.database, 0o600);
    expect(await answers()).toMatch(CHECKING);
  }),
  TEST_LIMIT_MS,
);

test(
  'what is all in the file already needs no check, though the file was changed after its WAL',
  inWorkplace(async (place) => {
    const key = await makeKey(place.database);
    await serveAndKill(place, key);
    const checkpoint = [
      process.execPath,
      '-e',
      `const db = new (require('bun:sqlite').Database)(${JSON.stringify(place.database)});
      db.query('PRAGMA wal_checkpoint').get();
      process.kill(process.pid, 'SIGKILL');`,
    ];
    await runProgram(checkpoint);
    expect(statSync(`${place.database}-wal`).size).toBeGreaterThan(0);
    await withService(await startService(place.database), async ({ greeting }) => {
      expect(greeting()).not.toMatch(CHECKING);
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'a command beside a running service, and its workers, check nothing and refuse nothing',
  inWorkplace(async ({ database }) => {
    const key = await makeKey(database);
    await withService(await startService(database, ['--workers', '2']), async (service) => {
      const { written, finished } = startWriters({ origin: service.origin, key }, 4);
      await until(() => written.acknowledged.size >= 100);
      for (let run = 0; run < 3; run += 1) {
        chmodSync(database, 0o600);
        const { status, stderr } = await animalStore(['keys', 'list', '--database', database]);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      }
      const { stdout } = await service.stop();
      await finished;
      expect(service.greeting()).not.toMatch(CHECKING);
      expect(stdout).not.toContain('worker_exited');
    });
    expect(readFileSync(database).subarray(0, 15).toString()).toBe('SQLite format 3');
  }),
  TEST_LIMIT_MS,
);
