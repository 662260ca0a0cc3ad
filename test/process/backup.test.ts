import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { fillCatalogue } from '../storage/full-catalogue.ts';
import { createKey } from '../support/create-key.ts';
import { startService, until, workplace } from '../support/process.ts';
import { canMount, withSmallDisk } from '../support/small-disk.ts';
import { useEach } from '../support/use-each.ts';
import { startWriters } from './connection.ts';
import { addAnimals, expectRefused, maintain, maintained, withFile } from './maintained.ts';
import { everythingIn } from './transfer.ts';

const place = useEach(workplace);

/** Only a slow machine shows it. */
const PROGRESS = /^(?:\d+ %, .*\n)+/;

test('a backup contains every row of every table, and ids are not assigned again after it is restored', async () => {
  const { database, file } = place;
  const opened = openSqlite(database);
  await fillCatalogue(opened);
  await opened.close();
  const { status, stdout, stderr } = await maintain(database, 'backup', file('a.db'));
  expect([status, stdout]).toEqual([0, '']);
  expect(stderr.replace(PROGRESS, '')).toMatch(
    /^Backed up 39 animals, 6 orders, 5 API keys \([\d.]+ KiB\) to .*, and verified the copy\.\n$/,
  );
  await maintained(file('fresh.db'), 'restore', file('a.db'));
  expect(await everythingIn(file('fresh.db'))).toStrictEqual(await everythingIn(database));
  const highestIds = (path: string) =>
    withFile(path, (connection) =>
      connection.query('SELECT * FROM sqlite_sequence ORDER BY name').safeIntegers(true).values(),
    );
  expect(highestIds(file('fresh.db'))).toEqual(highestIds(database));
});

test('check, status and backup beside a service with workers end no request; the backup has every animal acknowledged before', async () => {
  const { database, file, files } = place;
  await using service = await startService(database, ['--workers', '2']);
  const key = service.firstKey ?? '';
  const { written, finished } = startWriters({ origin: service.origin, key }, 8);
  await until(() => written.acknowledged.size >= 100);
  const before = [...written.acknowledged];
  expect(await maintained(database, 'check')).toBe('No faults were found.\n');
  const status = JSON.parse(await maintained(database, 'status', '--json'));
  expect(status.contents.pets.unset).toBeGreaterThanOrEqual(before.length);
  expect(status).toMatchObject({ engine: 'SQLite', contents: { apiKeys: { active: 1 } } });
  expect(status.sizes.wal).toBeGreaterThan(0);
  const { bytes, rows } = JSON.parse(await maintained(database, 'backup', file('a.db'), '--json'));
  await service.stop();
  await finished;
  expect(written.refused).toEqual([]);
  expect(bytes).toBe(statSync(file('a.db')).size);
  const { pets } = await everythingIn(file('a.db'));
  const names = new Map(pets.map(({ id, name }) => [id, name]));
  expect(rows.pets).toBe(names.size);
  expect(before.filter(([animal, id]) => names.get(id) !== animal)).toEqual([]);
  expect(await maintained(file('a.db'), 'check')).toBe('No faults were found.\n');

  expect(files()).toEqual(['a.db', 'animals.db']);
});

test('an existing file stays as it is, unless --replace is given, and standard output is refused', async () => {
  const { database, file, write, read } = place;
  await createKey(database);
  await write('a.db', 'yesterday');
  const { status, stderr } = await maintain(database, 'backup', file('a.db'));
  const message = `animal-store: ${file('a.db')} exists: name a new file, or add --replace.\n`;
  expect([status, stderr]).toEqual([1, message]);
  expect(read('a.db').toString()).toBe('yesterday');
  await maintained(database, 'backup', file('a.db'), '--replace');
  expect(await maintained(file('a.db'), 'check')).toBe('No faults were found.\n');
  expect((await maintain(database, 'backup', '-')).stderr).toContain('name a file');
});

test('--replace refuses a database that a service uses, and the place of one whose -wal is left', async () => {
  const { database, file, files, read } = place;
  for (const path of [database, file('a.db')]) await createKey(path);
  const expectKept = async (reason: string) => {
    const before = files().map((name) => [name, read(name)]);
    const run = await maintain(database, 'backup', file('a.db'), '--replace');
    expectRefused(run, `${file('a.db')}${reason}`);
    expect(files().map((name) => [name, read(name)])).toEqual(before);
  };
  await using service = await startService(file('a.db'));
  await expectKept(' is in use: ');
  await createKey(file('a.db'));
  service.signal('SIGKILL');
  await service.ended();
  await expectKept('-wal belongs to another database at ');
  rmSync(file('a.db'));
  await expectKept('-wal belongs to another database at ');
});

for (const command of ['backup --replace', 'export --output']) {
  test(`${command} refuses a target that it must not write with one sentence, and creates and changes nothing`, async () => {
    const { database, file, files, read } = place;
    await createKey(database);
    linkSync(database, file('same.db'));
    symlinkSync('animals.db', file('link.db'));
    mkdirSync(file('folder'));
    const before = [files(), read('animals.db')];
    const unfinished = 'animals.db.animal-store-unfinished';
    const parts = ['animals.db', 'animals.db-wal', 'folder/../animals.db-shm', unfinished];
    const own = [...parts, 'same.db', 'link.db'];
    for (const [target, reason] of [
      ...own.map((name) => [name, 'belongs to the database itself']),
      ['other.db-wal', 'has the name of a part of another database: name another file.\n'],
      ['folder', 'not a file'],
      ['missing/a.db', 'cannot be written: its folder does not exist.\n'],
    ]) {
      const words = [...command.split(' '), `${file('')}/${target}`];
      expectRefused(await maintain(file('link.db'), ...words), reason as string);
      expect([files(), read('animals.db')]).toEqual(before);
    }
  });
}

test.skipIf(!canMount)('a backup that fills a disk fails: only the old file stays', async () => {
  const { database, file } = place;
  await addAnimals(database, 10_000);
  mkdirSync(file('disk'));
  await withSmallDisk(file('disk'), '128k', async () => {
    await Bun.write(file('disk/a.db'), 'yesterday');
    const { status, stderr } = await maintain(database, 'backup', file('disk/a.db'), '--replace');
    const full = `animal-store: No disk space is left for ${file('disk/a.db')}.\n`;
    expect(stderr.replace(PROGRESS, '')).toBe(full);
    expect(status).toBe(1);
    expect(await Bun.$`ls ${file('disk')}`.text()).toBe('a.db\n');
    expect(await Bun.file(file('disk/a.db')).text()).toBe('yesterday');
  });
});
