/** A crash between any two steps of a restore, and a step that fails. */
import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { StorageError } from '../../../src/storage/database.ts';
import { requireSameFile } from '../../../src/storage/sqlite/integrity/file-check.ts';
import {
  chooseReplacedPath,
  exchange,
  exchangeSteps,
} from '../../../src/storage/sqlite/maintenance/exchange.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { restore as restoreFrom } from '../../../src/storage/sqlite/maintenance/restore.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useEach } from '../../support/use-each.ts';
import { readAll, rex } from '../animals.ts';

const COPY_OPTIONS = {
  signal: new AbortController().signal,
  onProgress: () => {},
  onWarning: () => {},
};
const STEPS = exchangeSteps('a', 'b', 'c').length;

const folder = useEach(() => temporaryFolder({ inMemory: true }));

const inFile = (name: string): string => folder.file(name);

const filesOf = (): string[] => readdirSync(folder.path).sort();

const restore = (path: string) => restoreFrom(path, inFile('backup.db'), COPY_OPTIONS);

/** The databases of `create`, each made once. */
const made = temporaryFolder({ inMemory: true });
afterAll(() => made.remove());

/** Makes a database with one animal. With `inWal`, its last change is only in its WAL, as after a kill. */
async function make(path: string, animal: string, inWal: boolean): Promise<void> {
  const database = openSqlite(`${path}.open`);
  await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name: animal })));
  if (inWal)
    for (const suffix of ['', '-wal']) copyFileSync(`${path}.open${suffix}`, path + suffix);
  await database.close();
  if (!inWal) copyFileSync(`${path}.open`, path);
}

async function create(name: string, animal: string, inWal: boolean): Promise<void> {
  const source = made.file(inWal ? `${animal}-in-wal` : animal);
  if (!existsSync(source)) await make(source, animal, inWal);
  // The WAL comes last: it is not older than the file.
  for (const suffix of inWal ? ['', '-wal'] : [''])
    copyFileSync(source + suffix, inFile(name) + suffix);
}

/** The name of the animal, or the reason for which the database is refused. */
async function contentOf(path: string): Promise<string> {
  try {
    const database = openSqlite(path);
    const names = (await readAll(database, 10)).map(({ name }) => name).join();
    await database.close();
    return names;
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}

/** The numbers of steps after which these files differ from those before. The others only sync, or find no file. */
function numbersOfSteps(...names: readonly string[]): number[] {
  using steps = temporaryFolder({ inMemory: true });
  for (const name of names) writeFileSync(steps.file(name), '');
  const list = () => readdirSync(steps.path).join();
  const path = steps.file('animals.db');
  return exchangeSteps(path, steps.file('copy.db'), `${path}-replaced`).flatMap((step, index) => {
    const before = list();
    step();
    return list() === before ? [] : [index + 1];
  });
}

test.each(numbersOfSteps('animals.db', 'animals.db-wal', 'copy.db'))(
  'after %i steps, the database is the old or the new one, or is refused, and another restore completes it',
  async (done) => {
    await create('animals.db', 'old', true);
    await create('copy.db', 'new', false);
    await create('backup.db', 'backup', false);
    const path = inFile('animals.db');
    const first = chooseReplacedPath(path);
    for (const step of exchangeSteps(path, inFile('copy.db'), first).slice(0, done)) step();

    const content = await contentOf(path);
    const refusal = `A restore of ${path} is running or was interrupted: if none is running, run \`animal-store restore FILE\` again.`;
    const isRefused = content.startsWith(refusal);
    expect(['old', 'new'].includes(content) || isRefused).toBeTrue();
    expect(isRefused).toBe(done < STEPS - 1);
    const place = ` The old database is in ${first}.`;
    expect(content.endsWith(place)).toBe(isRefused && existsSync(first));

    const { replaced = '' } = await restore(path);
    expect(await contentOf(path)).toBe('backup');
    const all = [await contentOf(replaced), ...(existsSync(first) ? [await contentOf(first)] : [])];
    expect(all).toContain(isRefused || content === 'old' ? 'old' : content);
    expect(all.filter((one) => one !== 'old' && one !== 'new')).toEqual([]);
  },
);

/** A folder cannot be renamed into itself: the last rename fails, after all others. */
const exchangeInVain = (path: string) => exchange(path, folder.path, chooseReplacedPath(path));

test.each(Array.from({ length: STEPS - 3 }, (_, done) => done))(
  'an exchange that fails is undone, also one that was interrupted after %i steps before',
  async (done) => {
    await create('animals.db', 'old', true);
    const path = inFile('animals.db');
    writeFileSync(`${path}-damaged`, '');
    const before = filesOf();
    const interrupted = exchangeSteps(path, 'none.db', `${path}-replaced`);
    for (const step of interrupted.slice(0, done)) step();
    expect(() => exchangeInVain(path)).toThrow('Nothing was restored.');
    expect(filesOf()).toEqual(before);
    expect(await contentOf(path)).toBe('old');
  },
);

test('a restore that cannot rename the old file changes nothing', async () => {
  await create('animals.db', 'old', true);
  await create('backup.db', 'backup', false);
  const path = inFile('animals.db');
  const before = filesOf();
  writeFileSync(`${path}-restoring`, `${inFile('none/replaced')}\n`);
  await expect(restore(path)).rejects.toThrow(/cannot be exchanged: ENOENT.* Nothing was restored/);
  expect(filesOf()).toEqual(before);
  expect(await contentOf(path)).toBe('old');
});

test('an exchange that cannot be undone leaves the marker, and another restore completes it', async () => {
  await create('animals.db', 'old', true);
  await create('backup.db', 'backup', false);
  const path = inFile('animals.db');
  // The crash of an exchange that had put its copy in place: which files belong to it is not known.
  for (const step of exchangeSteps(path, inFile('copy.db'), `${path}-replaced`).slice(0, 7)) step();
  await create('copy.db', 'new', false);
  renameSync(inFile('copy.db'), path);
  expect(() => exchangeInVain(path)).toThrow('the restore is unfinished');
  expect(await contentOf(path)).toStartWith(`A restore of ${path} is running or was interrupted`);
  const { replaced = '' } = await restore(path);
  const contents = [path, replaced, `${path}-replaced`].map(contentOf);
  expect(await Promise.all(contents)).toEqual(['backup', 'new', 'old']);
});

test('a restore completes after a crash of one that had no database to replace', async () => {
  await create('backup.db', 'backup', false);
  const path = inFile('animals.db');
  const [marked, inPlace] = numbersOfSteps('copy.db');
  for (const done of [marked, inPlace]) {
    await create('copy.db', 'new', false);
    const steps = exchangeSteps(path, inFile('copy.db'), `${path}-replaced`);
    for (const step of steps.slice(0, done)) step();
    expect(await contentOf(path)).toStartWith('A restore of');
    await restore(path);
    expect(await contentOf(path)).toBe('backup');
    rmSync(path);
  }
});

test('a restore completes after a crash before its marker was complete', async () => {
  await create('animals.db', 'old', true);
  await create('backup.db', 'backup', false);
  const path = inFile('animals.db');
  writeFileSync(`${path}-restoring`, '/some/unfinished');
  expect(chooseReplacedPath(path)).toStartWith(`${path}-replaced-`);
  writeFileSync(`${path}-restoring`, '');
  const { replaced = '' } = await restore(path);
  expect([await contentOf(path), await contentOf(replaced)]).toEqual(['backup', 'old']);
  expect(replaced).toStartWith(`${path}-replaced-`);
});

test('after a crash without a database in its place, a symbolic link to it is refused, too', async () => {
  await create('animals.db', 'old', false);
  await create('backup.db', 'backup', false);
  const path = inFile('animals.db');
  mkdirSync(inFile('links'));
  const link = inFile('links/animals.db');
  symlinkSync('../animals.db', link);
  for (const step of exchangeSteps(path, inFile('none.db'), `${path}-replaced`)) {
    step();
    if (!existsSync(path)) break;
  }
  expect(await contentOf(link)).toStartWith(`A restore of ${path} is running or was interrupted`);
  const { backups } = maintainSqlite(link);
  await backups?.restore(inFile('backup.db'), COPY_OPTIONS);
  expect(await contentOf(link)).toBe('backup');
});

test('a file that is replaced while it is opened is refused, and the connection is closed', async () => {
  await create('animals.db', 'old', false);
  await create('copy.db', 'new', false);
  const path = inFile('animals.db');
  const opened = new Sqlite(path);
  const open = () => {
    renameSync(inFile('copy.db'), path);
    return opened;
  };
  expect(() => requireSameFile(path, open)).toThrow(`${path} was replaced while it was opened`);
  expect(() => opened.query('SELECT 1')).toThrow();
  expect(await contentOf(path)).toBe('new');
});
