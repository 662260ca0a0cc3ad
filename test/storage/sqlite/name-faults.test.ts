import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Database } from '../../../src/storage/database.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending } from '../../support/list-query.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { rex } from '../animals.ts';
import { damageNames } from './damage-names.ts';

const NAMES = ['Zebra', 'Žofie', 'STRAẞE', 'a\0b', 'Ζέβρος', 'okapi'];

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
/** Animals 1 to 6 are indexed, animal 7 is not. */
beforeEach(async () => {
  folder = temporaryFolder({ inMemory: true });
  path = folder.file('animals.db');
  await withDatabase(async (database) => {
    for (const name of NAMES) await database.blind(BY_TEST).pets.create(rex({ name }));
    await database.names.indexNext(9);
    await database.blind(BY_TEST).pets.create(rex({ name: 'late zebra' }));
  });
});
afterEach(() => folder.remove());

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const database = openSqlite(path);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

function run(...statements: readonly string[]): void {
  const connection = new Sqlite(path);
  for (const statement of statements) connection.run(statement);
  connection.close(true);
}

const check = () => maintainSqlite(path).check();

const FAULTS: Readonly<Record<string, readonly [statements: readonly string[], fault: string]>> = {
  'animals that are neither indexed nor listed': [
    ['DELETE FROM pet_names WHERE rowid IN (2, 3)', 'DELETE FROM unindexed_pets'],
    'the index of names lacks 3 animals (the first is 2)',
  ],
  'an animal that is indexed and listed': [
    ['INSERT INTO unindexed_pets VALUES (5)'],
    'unindexed_pets lists 1 animal (the first is 5) of the index of names',
  ],
  'a wrong name in ASCII': [
    ["UPDATE pet_names SET folded_name = 'okap' WHERE rowid = 6"],
    'the index of names has another name for 1 animal (the first is 6)',
  ],
  'a name that is not folded': [
    ["UPDATE pet_names SET folded_name = 'Žofie' WHERE rowid = 2"],
    'the index of names has another name for 1 animal (the first is 2)',
  ],
  'a name that is folded as SQLite does': [
    ["UPDATE pet_names SET folded_name = lower('Žofie') WHERE rowid = 2"],
    'the index of names has another name for 1 animal (the first is 2)',
  ],
  'a name that ends at a zero byte': [
    ["UPDATE pet_names SET folded_name = 'a' WHERE rowid = 4"],
    'the index of names has another name for 1 animal (the first is 4)',
  ],
  'entries of no animal': [
    [
      "INSERT INTO pet_names (rowid, folded_name) VALUES (9223372036854775807, 'x'), (9007199254740993, 'y')",
    ],
    'the index of names has 2 ids (the first is 9007199254740993) of no animal',
  ],
  'a listed id of no animal': [
    ['INSERT INTO unindexed_pets VALUES (-5)'],
    'unindexed_pets has 1 id (the first is -5) of no animal',
  ],
};

describe('a check of the index of names', () => {
  test('finds no faults, whatever the names are', async () => {
    expect(await check()).toEqual({ faults: [], warnings: [] });
  });

  for (const [what, [statements, message]] of Object.entries(FAULTS))
    test(`finds ${what}, and a new index has none`, async () => {
      run(...statements);
      expect((await check()).faults).toEqual([{ kind: 'names', message }]);
      await maintainSqlite(path).rebuildNames();
      expect((await check()).faults).toEqual([]);
    });

  test('reads more animals than one slice', async () => {
    run(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20500)
        INSERT INTO pets (name, category_id) SELECT 'n' || n, 1 FROM numbers`,
      'DELETE FROM unindexed_pets WHERE id > 20000',
    );
    expect((await check()).faults).toEqual([
      { kind: 'names', message: 'the index of names lacks 507 animals (the first is 20001)' },
    ]);
  });

  test('finds damage in a table that FTS5 stores it in, and a new index has none', async () => {
    damageNames(path);
    const message = expect.stringMatching(
      /^the index of names is damaged \(fts5: .* table "pet_names"\)$/,
    );
    expect((await check()).faults).toEqual([{ kind: 'names', message }]);
    await maintainSqlite(path).rebuildNames();
    expect((await check()).faults).toEqual([]);
  });

  test('takes damage in a page of such a table for damage of the file, which a new index does not repair', async () => {
    const connection = new Sqlite(path);
    const [root] = connection
      .query("SELECT rootpage FROM sqlite_schema WHERE name = 'pet_names_content'")
      .values() as number[][];
    connection.close(true);
    const bytes = readFileSync(path);
    bytes.fill(0, (Number(root) - 1) * 4_096 + 8, Number(root) * 4_096);
    writeFileSync(path, bytes);
    expect((await check()).faults.map(({ kind }) => kind)).toContain('structure');
  });

  test('does not name the tables of FTS5 as objects of other programs', async () => {
    run('CREATE VIRTUAL TABLE notes USING fts5 (text)');
    const { faults, warnings } = await check();
    expect([faults, warnings]).toEqual([
      [],
      ['The database also contains objects of other programs, which are not checked: table notes.'],
    ]);
  });
});

test('a new index is empty, all animals are listed, and a service that runs finds and indexes them', async () => {
  await withDatabase(async (database) => {
    const zebras = async () =>
      (await database.read.pets.list(ascending({ name: 'ZÉBR' }), undefined, 9)).map(
        ({ name }) => name,
      );
    expect(await zebras()).toEqual(['Zebra', 'late zebra']);
    await maintainSqlite(path).rebuildNames();
    expect(await database.names.unindexed()).toBe(7);
    expect(await zebras()).toEqual(['Zebra', 'late zebra']);
    await database.names.indexNext(9);
    expect(await database.names.unindexed()).toBe(0);
    expect(await zebras()).toEqual(['Zebra', 'late zebra']);
  });
  expect((await check()).faults).toEqual([]);
});

test('a backup does not count the tables of the index', async () => {
  const backup = await maintainSqlite(path).backups?.backUp(folder.file('backup.db'), {
    replace: false,
    now: Date.now,
    signal: new AbortController().signal,
    onProgress: () => {},
    onWarning: (warning) => expect(warning).toBe(''),
  });
  expect(backup?.rows).toEqual({
    categories: 0,
    pets: 7,
    orders: 0,
    api_keys: 0,
    operation_usage: 0,
    daily_usage: 0,
    idempotency_records: 0,
    events: 7,
  });
});
