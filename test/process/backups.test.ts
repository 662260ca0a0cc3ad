/** Restoring a backup over the file of a killed service, whose WAL is still there. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, readFileSync, renameSync, statSync, utimesSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { runProgram, startService, until, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { getStatus, serveAndKill, startWriters } from './connection.ts';
import { logged } from './logged.ts';
import { addAnimals, maintain } from './maintained.ts';

const place = useEach(workplace);

const CHECKING = /^animal-store: Checking all of /m;

/** The files of a killed service, a backup as documented, whose WAL they are not, and a key that both contain. */
const killed = workplace();
let key: string;
beforeAll(async () => {
  await addAnimals(killed.database, 200);
  key = await createKey(killed.database);
  copyFileSync(killed.database, killed.file('backup.db'));
  await addAnimals(killed.database, 1_000);
  await serveAndKill(killed.database, key, 200);
});
afterAll(() => killed.remove());

/** Copies these files. The WAL comes last: it is not older than the file. */
function copyKilled({ file }: Workplace): void {
  for (const name of ['backup.db', 'animals.db', 'animals.db-wal'])
    copyFileSync(killed.file(name), file(name));
}

const RESTORED: Readonly<Record<string, (place: Workplace) => unknown>> = {
  copied: ({ file, database }) => runProgram(['cp', file('backup.db'), database]),
  'copied with its times': ({ file, database }) =>
    runProgram(['cp', '-p', file('backup.db'), database]),
  moved: ({ file, database }) => renameSync(file('backup.db'), database),
  // The system may set a change time to the beginning of its tick, and a modification time to the exact moment.
  'moved in the tick of the last write to the WAL': ({ file, database }) => {
    renameSync(file('backup.db'), database);
    const { ctimeMs } = statSync(database);
    utimesSync(`${database}-wal`, ctimeMs / 1_000, (ctimeMs + 9) / 1_000);
  },
};

for (const [how, restore] of Object.entries(RESTORED)) {
  test(`a backup that is ${how} over the file is rejected unchanged beside an old WAL`, async () => {
    const { database, read } = place;
    copyKilled(place);
    await restore(place);
    const before = [read('animals.db'), read('animals.db-wal')];
    const { status, stdout, stderr } = await maintain(database, 'keys', 'list');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^animal-store: Checking all of .*\nanimal-store: .* stop everything that uses it, restore a backup with `animal-store restore FILE`, and start again\.\n$/,
    );
    expect([read('animals.db'), read('animals.db-wal')]).toEqual(before);
  });
}

test('the file of a killed service is opened without a check, and is checked completely after a change of its mode', async () => {
  const { database, file } = place;
  const key = await createKey(database);
  await serveAndKill(database, key, 200);
  await using service = await startService(database);
  expect(await getStatus(service.origin, key, '/pets/2')).toBe(200);
  expect(service.stderr()).not.toMatch(CHECKING);
  service.signal('SIGKILL');
  await service.ended();
  chmodSync(database, 0o600);
  const why = `${database}-wal may be left over from another file`;
  expect((await maintain(database, 'check')).stderr).toContain(`${why}: the next start checks`);
  const backup = await maintain(database, 'backup', file('b.db'));
  expect(backup.stderr).toContain(`cannot be recorded in ${database}: ${why}.\n`);
  const { status, stderr } = await maintain(database, 'keys', 'list');
  expect([status, stderr]).toEqual([0, expect.stringMatching(CHECKING)]);
});

test('a file that contains all changes needs no check, even if it was modified after its WAL', async () => {
  const { database } = place;
  await createKey(database);
  const checkpoint = `const db = new (require('bun:sqlite').Database)(${JSON.stringify(database)});
    db.run("INSERT INTO categories VALUES (1, 'Dogs')");
    db.query('PRAGMA wal_checkpoint').get();
    process.kill(process.pid, 'SIGKILL');`;
  await runProgram([process.execPath, '-e', checkpoint]);
  expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
  const { status, stderr } = await maintain(database, 'export', '--categories');
  expect([status, stderr]).toEqual([0, '']);
});

test('a command beside a running service, and its workers, check and reject nothing', async () => {
  const { database } = place;
  const key = await createKey(database);
  await using service = await startService(database, ['--workers', '2']);
  const { written, finished } = startWriters({ origin: service.origin, key }, 4);
  await until(() => written.acknowledged.size >= 100);
  for (let run = 0; run < 3; run += 1) {
    chmodSync(database, 0o600);
    const { status, stderr } = await maintain(database, 'keys', 'list');
    expect([status, stderr]).toEqual([0, '']);
  }
  const { stdout } = await service.stop();
  await finished;
  expect(service.stderr()).not.toMatch(CHECKING);
  const exits = logged(stdout, 'worker_exited');
  expect(exits.map((line) => line['animal_store.process.exit_expected'])).toEqual([true, true]);

  expect(readFileSync(database).subarray(0, 15).toString()).toBe('SQLite format 3');
});
