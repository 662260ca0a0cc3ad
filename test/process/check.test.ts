import { expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, statSync } from 'node:fs';
import { openScratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { runAnimalStore, runProgram, startService, until, workplace } from '../support/process.ts';
import { canMount, withSmallDisk } from '../support/small-disk.ts';
import { useEach } from '../support/use-each.ts';
import { getJson } from './connection.ts';
import { addAnimals, damage, maintain, maintained, withFile } from './maintained.ts';

const place = useEach(workplace);

const WRONG = 'category_counts has 5 animals of category 999 with the status sold, but there are 0';

const miscount = (path: string) =>
  withFile(path, (connection) =>
    connection.run('INSERT OR REPLACE INTO category_counts VALUES (999, 0, 0, 5, 0)'),
  );

/** Sets the mode of the file: a WAL that was not written since then may belong to another file. */
const setModeAfterLastWrite = (path: string): Promise<void> =>
  until(() => {
    chmodSync(path, 0o600);
    const [file, wal] = [path, `${path}-wal`].map((one) => statSync(one, { bigint: true }));
    return (file?.ctimeNs ?? 0n) > (wal?.mtimeNs ?? 0n) + 100_000_000n;
  });

test('check prints a line for each fault, but none for the -wal of a service, and exits with status 1, and --repair mends names and counts beside a service, which finds the names at once', async () => {
  const { database } = place;
  await addAnimals(database, 2_000);
  const key = await createKey(database);
  await using service = await startService(database);
  const found = () => getJson<object[]>(service.origin, key, '/pets?name=mischa');
  withFile(database, (connection) => {
    connection.run("UPDATE pets SET name = 'Mischa' WHERE id IN (1234, 1999)");
    connection.run('UPDATE category_counts SET sold = 5 WHERE category_id = 1');
  });
  const faults = [
    'category_counts has 5 animals of category 1 with the status sold, but there are 0',
    'the folded texts of 2 rows of pets are wrong (the first id is 1234)',
  ];
  expect(await found()).toEqual([]);
  await setModeAfterLastWrite(database);
  expect(await maintain(database, 'check')).toEqual({
    status: 1,
    stdout: faults.map((fault) => `${fault}\n`).join(''),
    stderr: 'animal-store: 2 faults were found. `animal-store check --repair` repairs them.\n',
  });
  const asJson = await maintain(database, 'check', '--json');
  expect([asJson.status, JSON.parse(asJson.stdout)]).toEqual([1, { faults, warnings: [] }]);
  expect(await maintain(database, 'check', '--repair')).toEqual({
    status: 0,
    stdout: 'No faults were found.\n',
    stderr: faults.map((fault) => `animal-store: repaired: ${fault}\n`).join(''),
  });
  expect(await found()).toMatchObject([{ id: 1234 }, { id: 1999 }]);
  expect(await maintained(database, 'check')).toBe('No faults were found.\n');
});

test('check finds damage, and --repair does not write to a damaged file', async () => {
  const { database, read, files } = place;
  await addAnimals(database, 2_000);
  miscount(database);
  await damage(database);
  const before = read('animals.db');
  const { status, stdout, stderr } = await maintain(database, 'check', '--repair');
  expect(status).toBe(1);
  expect(stdout).toContain(WRONG);
  expect(stdout).toMatch(/page|index/);
  expect(stderr).toContain('Nothing was repaired, because the structure has a fault.');
  expect(read('animals.db').equals(before)).toBeTrue();
  expect(files()).toEqual(['animals.db']);
});

test('check and status show that damage was found, until the whole file has been checked', async () => {
  const { database, write } = place;
  await createKey(database);
  expect(JSON.parse(await maintained(database, 'status', '--json')).damageFound).toBeFalse();
  await write('animals.db-damaged', '');
  expect((await maintain(database, 'check')).stderr).toContain('Damage was found in');
  expect(await maintained(database, 'status')).toMatch(/^Damage +found before: run check$/m);
  await maintained(database, 'keys', 'list');
  expect(JSON.parse(await maintained(database, 'status', '--json')).damageFound).toBeFalse();
  expect(await maintained(database, 'status')).not.toContain('Damage');
});

test('status shows how much of the file is free, and a restored backup has no free part', async () => {
  const { database, file } = place;
  await addAnimals(database, 20_000);
  const status = async () => JSON.parse(await maintained(database, 'status', '--json'));
  expect(await status()).toMatchObject({ freeBytes: 0 });
  expect(await maintained(database, 'status')).toMatch(/^Free in the file {2,}0 bytes$/m);
  withFile(database, (connection) => connection.run('DELETE FROM pets WHERE id > 100'));
  const { freeBytes, sizes } = await status();
  expect(freeBytes).toBeGreaterThan(sizes.file / 2);
  expect(freeBytes).toBeLessThan(sizes.file);
  expect(await maintained(database, 'status')).toMatch(/^Free in the file {2,}\d\.\d MiB$/m);
  await maintained(database, 'backup', file('backup.db'));
  await maintained(database, 'restore', file('backup.db'));
  const compact = await status();
  expect(compact).toMatchObject({ freeBytes: 0, contents: { pets: { available: 100 } } });
  expect(compact.sizes.file).toBeLessThan(sizes.file - freeBytes + 65_536);
});

test.skipIf(!canMount)('check, status and backup read a database on a read-only disk', async () => {
  const { database, file } = place;
  await createKey(database);
  mkdirSync(file('disk #1?'));
  await withSmallDisk(file('disk #1?'), '256k', async () => {
    const there = file('disk #1?/animals.db');
    copyFileSync(database, there);
    await runProgram(['mount', '-o', 'remount,ro', file('disk #1?')]);
    // SQLite keeps a file open for other connections of its process.
    const run = (...args: string[]) => runAnimalStore([...args, '--database', there]);
    expect(await run('check')).toMatchObject({
      stdout: 'No faults were found.\n',
      stderr: expect.stringMatching(/ has \d+ bytes left: fewer than the database has \(\d+\)/),
    });
    expect((await run('status')).stdout).toMatch(/^API keys +1 \(active 1\)$/m);
    const { status, stderr } = await run('backup', file('a.db'));
    expect([status, stderr]).toEqual([0, expect.stringContaining('cannot be recorded')]);
    const restore = ['restore', there, '--database', file('fresh.db')];
    expect(await runAnimalStore(restore)).toMatchObject({ status: 0 });
    expect(await maintained(file('fresh.db'), 'check')).toBe('No faults were found.\n');
  });
});

test('status describes a PostgreSQL database, with and without a catalogue', async () => {
  await using scratch = await openScratch();
  const schema = /^Schema +none; this program needs \d+$/m;
  expect(await maintained(scratch.url, 'status')).toMatch(schema);
  await maintained(scratch.url, 'migrate');
  expect(await maintained(scratch.url, 'status')).toMatch(/^Engine +PostgreSQL \d+/m);
});
