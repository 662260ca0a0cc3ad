/** Restores, copies and imports leave no animal that a search misses, and nothing for `check` to find. */

import { describe, expect, test } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import type { CheckReport } from '../../src/storage/maintenance.ts';
import { maintainSqlite } from '../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { ascending } from '../support/list-query.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { copy, storageOpener } from './copying.ts';

const animals = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ name: `${name} ${index}`, categoryId: 1 }));

const count = async ({ read }: Database, name: string): Promise<number> =>
  (await read.pets.list(ascending({ name }), undefined, 1_000)).length;

/** Expects the numbers of animals by a part of their name, with what is indexed now, and with all indexed. */
async function expectFound(
  database: Database,
  expected: Readonly<Record<string, number>>,
  path?: string,
): Promise<void> {
  const found = async () => {
    for (const [name, animalsOfName] of Object.entries(expected))
      expect([name, await count(database, name)]).toEqual([name, animalsOfName]);
    if (path) expect((maintainSqlite(path).check() as CheckReport).faults).toEqual([]);
  };
  await found();
  await database.names.indexNext(10_000);
  expect(await database.names.unindexed()).toBe(0);
  await found();
}

/** Runs `work` with the path of a file that does not exist yet. */
async function withPath(work: (path: string, other: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder({ inMemory: true });
  try {
    await work(folder.file('animals.db'), folder.file('other.db'));
  } finally {
    folder.remove();
  }
}

async function withDatabase(path: string, work: (database: Database) => Promise<void>) {
  const database = openSqlite(path);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

const COPYING = {
  signal: new AbortController().signal,
  onProgress: () => {},
  onWarning: (warning: string) => expect(warning).toBe(''),
};

test('a backup that is taken while names are indexed can be restored, and indexed on', () =>
  withPath(async (path, backup) => {
    await withDatabase(path, async (database) => {
      await importPets(database, animals(500, 'Zébra'));
      await database.names.indexNext(200);
      await maintainSqlite(path).backups?.backUp(backup, {
        ...COPYING,
        replace: false,
        now: Date.now,
      });
      await database.names.indexNext(10_000);
      await importPets(database, animals(5, 'okapi'));
    });
    await maintainSqlite(path).backups?.restore(backup, COPYING);
    await withDatabase(path, async (database) => {
      expect(await database.names.unindexed()).toBe(300);
      await expectFound(database, { zebra: 500, okapi: 0 }, path);
    });
  }));

describe.each([
  ['few animals into many', 400, 3],
  ['many animals into few', 3, 400],
])('an import of %s', (_what, stored, added) => {
  test.each([
    ['all of them indexed', 10_000],
    ['two of them indexed', 2],
    ['none of them indexed', 0],
  ])('leaves all to be found, with %s before', (_indexed, indexed) =>
    withPath(async (path) => {
      await withDatabase(path, async (database) => {
        await importPets(database, animals(stored, 'zebra'));
        await database.names.indexNext(indexed);
        const unindexed = await database.names.unindexed();
        await importPets(database, animals(added, 'okapi'));
        expect(await database.names.unindexed()).toBe(unindexed + added);
        await expectFound(database, { zebra: stored, okapi: added }, path);
        // The triggers are there again.
        await database.write(BY_TEST, ({ pets }) => pets.remove(1));
        await database.blind(BY_TEST).pets.create({ name: 'late okapi', categoryId: 1 });
        await expectFound(database, { zebra: stored - 1, okapi: added + 1 }, path);
      });
    }),
  );
});

describe('a copy', () => {
  const open = storageOpener();
  const sqlite = ENGINES.find(({ name }) => name === 'SQLite');
  for (const engine of ENGINES)
    test(`from ${engine.name} to SQLite leaves all animals to be found`, async () => {
      const [source, target] = [await open(engine), await open(sqlite)];
      await importPets(source.database, animals(300, 'zebra'));
      await source.database.names.indexNext(100);
      await source.database.write(BY_TEST, ({ pets }) => pets.remove(7));
      await copy(source, target.database);
      expect(await target.database.names.unindexed()).toBe(299);
      await expectFound(target.database, { zebra: 299 });
    });
});
