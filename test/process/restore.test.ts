import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, chownSync, copyFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { spawnGuarded } from '../support/guard.ts';
import { startService, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { serveAndKill } from './connection.ts';
import { addAnimals, damage, maintain, maintained, namesIn, withFile } from './maintained.ts';

const place = useEach(workplace);

/** The path of the database that a restore replaced. */
const replacedIn = ({ files, file }: Workplace): string =>
  file(files().find((name) => /^animals\.db-replaced-[0-9T.]+Z$/.test(name)) ?? 'none');

test('a restore after a kill brings back exactly the backup, and keeps the replaced database with its WAL', async () => {
  const { database, file, has } = place;
  const key = await createKey(database);
  const first = await serveAndKill(database, key, 50);
  await maintained(database, 'backup', file('a.db'));
  const backedUp = namesIn(file('a.db'));
  const later = await serveAndKill(database, key, 50);
  expect(has('animals.db-wal')).toBeTrue();
  await Bun.write(`${database}-damaged`, '');

  const { status, stderr } = await maintain(database, 'restore', file('a.db'));
  expect(status).toBe(0);
  expect(stderr).toContain(`The replaced database is in ${replacedIn(place)}.`);
  for (const suffix of ['-wal', '-shm', '-damaged', '-restoring'])
    expect(has(`animals.db${suffix}`)).toBeFalse();
  expect(namesIn(database)).toEqual(backedUp);
  expect([...first].filter(([name, id]) => backedUp.get(id) !== name)).toEqual([]);

  expect(statSync(`${replacedIn(place)}-wal`).size).toBeGreaterThan(0);
  await maintained(database, 'restore', replacedIn(place));
  const again = namesIn(database);
  expect([...later].filter(([name, id]) => again.get(id) !== name)).toEqual([]);
  expect(later.size).toBeGreaterThan(0);
});

/** Reads a file in a process that keeps it open. */
function startReader(database: string) {
  const program = `const db = new (require('bun:sqlite').Database)(${JSON.stringify(database)});
    db.query('SELECT count(*) FROM pets').get(); console.log('open'); setInterval(() => db, 1000);`;
  return spawnGuarded([process.execPath, '-e', program], { stdout: 'pipe' });
}

/** Restores `a.db`, and expects that it is refused and changes nothing. */
async function expectInUse({ database, file, files, has, read }: Workplace) {
  // The service may find the damage in between, and mark it.
  const others = () => files().filter((name) => !name.endsWith('-damaged'));
  const before = { files: others(), bytes: read(has('animals.db') ? 'animals.db' : 'a.db') };
  const { status, stderr } = await maintain(database, 'restore', file('a.db'));
  expect([status, stderr]).toEqual([
    1,
    `animal-store: ${database} is in use: stop the service and everything else that has it open.\n`,
  ]);
  expect(others()).toEqual(before.files);
  expect(read(has('animals.db') ? 'animals.db' : 'a.db').equals(before.bytes)).toBeTrue();
}

test('a database is not replaced while another program has it open for reading', async () => {
  await createKey(place.database);
  await maintained(place.database, 'backup', place.file('a.db'));
  const reader = startReader(place.database);
  try {
    await reader.stdout.getReader().read();
    await expectInUse(place);
  } finally {
    reader.kill();
    await reader.exited;
  }
  await maintained(place.database, 'restore', place.file('a.db'));
});

/** A database of animals and its backup, which tests copy. */
const stored = workplace();
beforeAll(async () => {
  await addAnimals(stored.database, 2_000);
  await maintained(stored.database, 'backup', stored.file('a.db'));
});
afterAll(() => stored.remove());

function copyStored({ file }: Workplace): void {
  for (const name of ['animals.db', 'a.db']) copyFileSync(stored.file(name), file(name));
}

test('a database is not replaced while a service runs on it, even if it is cut to nothing or removed, and can be replaced afterwards', async () => {
  const { database, file } = place;
  copyStored(place);
  const names = namesIn(file('a.db'));
  await using service = await startService(database);
  await expectInUse(place);
  truncateSync(database, 0);
  await expectInUse(place);
  rmSync(database);
  await expectInUse(place);
  await service.stop();

  await maintained(database, 'restore', file('a.db'));
  expect(namesIn(database)).toEqual(names);
});

const UNFIT: Readonly<Record<string, [(file: string) => unknown, string]>> = {
  missing: [(file) => rmSync(file), 'There is no database at'],
  'no database': [
    (file) => Bun.write(file, 'Dear diary, '.repeat(1_000)),
    'not an SQLite database',
  ],
  "another program's": [
    (file) => withFile(file, (connection) => connection.run('PRAGMA application_id = 7')),
    'belongs to another program',
  ],
  newer: [
    (file) => withFile(file, (connection) => connection.run('PRAGMA user_version = 9999')),
    'use a newer version of the program',
  ],
  'cut short': [(file) => truncateSync(file, 20_000), 'Nothing was restored'],
  damaged: [damage, 'Offset 0 out of range'],
  'with wrong counts': [
    (file) =>
      withFile(file, (connection) =>
        connection.run('INSERT INTO category_counts VALUES (999, 0, 0, 9, 0)'),
      ),
    'category_counts has 9 animals of category 999 with the status sold, but there are 0',
  ],
  empty: [(file) => Bun.write(file, ''), 'There is no catalogue in'],
};

for (const [what, [make, sentence]] of Object.entries(UNFIT)) {
  test(`a backup that is ${what} is refused, and the database stays as it is`, async () => {
    const { database, file, files, read } = place;
    copyStored(place);
    await make(file('a.db'));
    // The service may find the damage in between, and mark it.
    const others = () => files().filter((name) => !name.endsWith('-damaged'));
    const before = { files: others(), bytes: read('animals.db') };
    const { status, stderr } = await maintain(database, 'restore', file('a.db'));
    expect(status).toBe(1);
    expect(stderr).toContain(sentence);
    expect(stderr.split('\n').at(-2)).toMatch(/^animal-store: /);
    expect(files()).toEqual(before.files);
    expect(read('animals.db').equals(before.bytes)).toBeTrue();
  });
}

test('a restored file has the mode and the owner of the file that it replaces, and is private if there was none', async () => {
  const { database, file } = place;
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  await createKey(database);
  await maintained(database, 'backup', file('a.db'));
  chmodSync(database, 0o640);
  // Only root may give a file away.
  if (process.getuid?.() === 0) chownSync(database, 65_534, 65_533);
  const { uid, gid } = statSync(database);
  await maintained(database, 'restore', file('a.db'));
  expect(modeOf(database)).toBe('640');
  expect(statSync(database)).toMatchObject({ uid, gid });
  await maintained(file('new/animals.db'), 'restore', file('a.db'));
  expect([modeOf(file('new')), modeOf(file('new/animals.db'))]).toEqual(['700', '600']);
});
