import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { createKey } from '../support/create-key.ts';
import { commandOf, startCommand, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { maintained } from './maintained.ts';
import { importText } from './transfer.ts';

const place = useEach(workplace);

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Runs `work` in this process with a umask. */
async function withUmask<T>(umask: number, work: () => Promise<T>): Promise<T> {
  const before = process.umask(umask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

test('only the user can access a new database, its WAL, its index, and the folders created for it, whatever the umask is', async () => {
  const database = place.file('new/folders/animals.db');
  const serve = commandOf('serve', '--port', '0', '--database', database);
  await using _service = await startCommand(['sh', '-c', 'umask 0; exec "$@"', 'sh', ...serve]);
  for (const suffix of ['', '-wal', '-shm']) expect(modeOf(database + suffix)).toBe('600');
  expect(modeOf(place.file('new/folders'))).toBe('700');
  expect(modeOf(place.file('new'))).toBe('700');
});

test('an existing database and folder keep their modes, and the WAL gets the mode of the database', async () => {
  const { file } = place;
  mkdirSync(file('existing'));
  chmodSync(file('existing'), 0o755);
  const database = file('existing/animals.db');
  await createKey(database);
  chmodSync(database, 0o640);
  const opened = openSqlite(database);
  for (const suffix of ['', '-wal', '-shm']) expect(modeOf(database + suffix)).toBe('640');
  expect(modeOf(file('existing'))).toBe('755');
  await opened.close();
});

test('only the user can read a backup, whatever the umask is', async () => {
  const { database, file, files } = place;
  await createKey(database);
  await withUmask(0, () => maintained(database, 'backup', file('a.db')));
  expect(modeOf(file('a.db'))).toBe('600');
  expect(files()).toEqual(['a.db', 'animals.db']);
});

test('the file of an export has the mode of the umask', async () => {
  await importText(place, 'one.ndjson', '{"name":"Rex","categoryId":1}\n');
  for (const [umask, mode] of [
    [0o022, '644'],
    [0o077, '600'],
  ] as const) {
    const output = place.file(`${mode}.ndjson`);
    await withUmask(umask, () => maintained(place.database, 'export', '--output', output));
    expect(modeOf(output)).toBe(mode);
  }
});
