import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Database } from '../../../src/storage/database.ts';
import type { CheckReport } from '../../../src/storage/maintenance.ts';
import { FIRST_VERSION, migrationsOf } from '../../../src/storage/migrations.ts';
import { createDamageMarker } from '../../../src/storage/sqlite/integrity/damage-marker.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/schema/migrations.ts';
import { BY_TEST } from '../../support/cause.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { rex } from '../animals.ts';
import { FAULTS_TO_FIND, type FaultToFind } from '../faults-to-find.ts';
import { CONTENTS, fillCatalogue } from '../full-catalogue.ts';

/** Copied for each test. */
const filled = temporaryFolder({ inMemory: true });
beforeAll(async () => {
  const database = openSqlite(filled.file('animals.db'));
  await fillCatalogue(database);
  await database.close();
});
afterAll(() => filled.remove());

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder({ inMemory: true });
  path = folder.file('animals.db');
  copyFileSync(filled.file('animals.db'), path);
});
afterEach(() => folder.remove());

function run(...statements: readonly string[]): void {
  const connection = new Sqlite(path);
  for (const statement of statements) connection.run(statement);
  connection.close(true);
}

const check = async (): Promise<CheckReport> => maintainSqlite(path).check();
const faultsFound = async (): Promise<string[]> =>
  (await check()).faults.map(({ message }) => message);

const FAULTS: Readonly<Record<string, FaultToFind>> = {
  ...FAULTS_TO_FIND,
  'two open orders for one animal, and the index that prevents them is missing': {
    statements: [
      'DROP INDEX one_open_order',
      "INSERT INTO orders (pet_id, status, created_at) VALUES (1, 'approved', 0)",
    ],
    faults: [
      'the schema of one_open_order differs from what this version expects',
      'animal 1 has 2 open orders',
    ],
  },
  'ids above the highest assigned one': {
    statements: ["UPDATE sqlite_sequence SET seq = 5 WHERE name = 'orders'"],
    faults: ['the id 6 in orders is outside of the assigned ids 1 to 5'],
  },
  'an id below the lowest one': {
    statements: ['api_keys', 'webhook_secrets'].map(
      (table) => `UPDATE ${table} SET id = 0 WHERE id = 2`,
    ),
    faults: [
      'the id 0 in api_keys is outside of the assigned ids 1 to 5',
      'the id 0 in webhook_secrets is outside of the assigned ids 1 to 2',
    ],
  },
  'ids that are used up': {
    statements: [
      "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name IN ('events', 'pets')",
    ],
    faults: [
      'the ids of events are used up, so nothing can be added',
      'the ids of pets are used up, so nothing can be added',
    ],
  },
  'numbers from which no id can be assigned': {
    statements: [
      "INSERT INTO sqlite_sequence SELECT * FROM sqlite_sequence WHERE name = 'api_keys'",
      "UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'orders'",
      "INSERT INTO sqlite_sequence VALUES ('last', -1)",
    ],
    faults: ['api_keys', 'last', 'orders'].map(
      (name) => `sqlite_sequence has no valid number for ${name}`,
    ),
  },
  'a key with an impossible end': {
    statements: ['UPDATE api_keys SET expires_at = 1 WHERE id = 1'],
    faults: ['api_keys contains an impossible time'],
  },
  'a missing table': {
    statements: ['DROP TABLE daily_usage'],
    faults: ['the schema of daily_usage differs from what this version expects'],
  },
  'a missing trigger': {
    statements: ['DROP TRIGGER count_added_pet'],
    faults: ['the schema of count_added_pet differs from what this version expects'],
  },
  'triggers of another program on tables of ours': {
    statements: [
      'CREATE TRIGGER audit AFTER INSERT ON api_keys BEGIN DELETE FROM pets; END',
      'CREATE TRIGGER other BEFORE UPDATE ON PETS BEGIN SELECT 1; END',
      'CREATE TRIGGER pets AFTER DELETE ON orders BEGIN SELECT 1; END',
    ],
    faults: [
      'the trigger audit on api_keys belongs to another program: remove it with DROP TRIGGER',
      'the trigger other on pets belongs to another program: remove it with DROP TRIGGER',
      'the trigger pets on orders belongs to another program: remove it with DROP TRIGGER',
    ],
  },
  'a row of a missing key': {
    statements: ['PRAGMA foreign_keys = OFF', 'UPDATE idempotency_records SET key_id = 77'],
    faults: ['a row of idempotency_records refers to a missing API key'],
  },
};

describe('a check of a file', () => {
  test('finds no faults in a sound catalogue, and changes no byte', async () => {
    const before = readFileSync(path);
    expect(await check()).toEqual({ faults: [], warnings: [] });
    expect(readFileSync(path).equals(before)).toBeTrue();
  });

  for (const [what, { statements, faults }] of Object.entries(FAULTS)) {
    test(`finds ${what}`, async () => {
      run(...statements);
      expect(await faultsFound()).toEqual([...faults]);
    });
  }

  test('lists at most 100 faults of a kind', async () => {
    run(
      'DELETE FROM orders',
      ...Array.from(
        { length: 150 },
        (_, index) =>
          `INSERT INTO orders (pet_id, status, created_at, ended_at) VALUES (${1_000 + index}, 'approved', 0, ${index < 100 ? 0 : null})`,
      ),
      `WITH RECURSIVE wrong (id) AS (VALUES (1001) UNION ALL SELECT id + 1 FROM wrong WHERE id < 1101)
      INSERT INTO category_counts SELECT id, 0, 0, 1, 0 FROM wrong`,
    );
    const found = await faultsFound();
    expect(found).toHaveLength(302);
    const more = 'there are more faults of the previous kind';
    expect(found.flatMap((fault, index) => (fault === more ? [index] : []))).toEqual([100, 301]);
  });
});

test('a check finds a trigger with a name that SQLite reserves for its own objects', async () => {
  run('CREATE TRIGGER xqlite_audit AFTER INSERT ON api_keys BEGIN DELETE FROM pets; END');
  // SQLite refuses such a name, but not a file that has one.
  const bytes = readFileSync(path).toString('latin1').replaceAll('xqlite_audit', 'sqlite_audit');
  writeFileSync(path, bytes, 'latin1');
  expect(await faultsFound()).toEqual([
    'the trigger sqlite_audit on api_keys belongs to another program: remove it with DROP TRIGGER',
  ]);
});

test('a check names the other objects of other programs, and does not judge them', async () => {
  run(
    'CREATE TABLE more (text)',
    'CREATE TABLE notes (text)',
    'CREATE VIEW report AS SELECT count(*) FROM pets',
    'CREATE INDEX pets_by_name ON pets (name)',
    'CREATE TRIGGER noted AFTER INSERT ON notes BEGIN SELECT 1; END',
    'ANALYZE',
  );
  const warning = 'The database also contains objects of other programs, which are not checked: ';
  expect(await check()).toEqual({
    faults: [],
    warnings: [
      `${warning}index pets_by_name, table more, table notes, trigger noted, view report.`,
    ],
  });
  run(...['a', 'b', 'c'].map((name) => `CREATE TABLE ${name} (text)`));
  expect((await check()).warnings).toEqual([
    `${warning}index pets_by_name, table a, table b, table c, table more and 3 more.`,
  ]);
});

test.each(['backup.db', 'animals.db-damaged'])(
  'a backup fails if another process creates %s while it copies, and replaces nothing',
  async (name) => {
    // Its warning comes after the copy, and before the copy gets its place.
    run('CREATE TABLE notes (text)');
    const target = folder.file('backup.db');
    const backup = maintainSqlite(path).backups?.backUp(target, {
      replace: false,
      now: Date.now,
      signal: new AbortController().signal,
      onProgress: () => {},
      onWarning() {
        if (name === 'backup.db') writeFileSync(target, 'of another process');
        else createDamageMarker(path, { changesLost: true });
      },
    });
    await expect(backup).rejects.toThrow(/backup.db exists: name a new|changes are missing/);
    expect(readdirSync(folder.path).sort()).toEqual(['animals.db', name]);
    if (name === 'backup.db') expect(readFileSync(target, 'utf8')).toBe('of another process');
  },
);

test('a restore is refused if the database is opened while it copies, and replaces nothing', async () => {
  // Its warning comes after the copy, and before the copy gets its place.
  run('CREATE TABLE notes (text)');
  const { backups } = maintainSqlite(path);
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  const backup = folder.file('backup.db');
  await backups?.backUp(backup, { ...options, replace: false, now: Date.now, onWarning: () => {} });
  let opened: Database | undefined;
  const onWarning = () => {
    opened = openSqlite(path);
  };
  const restored = backups?.restore(backup, { ...options, onWarning });
  await expect(restored).rejects.toThrow(`${path} is in use`);
  await opened?.close();
  expect(readdirSync(folder.path).sort()).toEqual(['animals.db', 'backup.db']);
});

test('a repair mends the counts, on top of which later changes are counted, and the folded names', async () => {
  run('DELETE FROM category_counts WHERE category_id = 0');
  run('INSERT INTO category_counts VALUES (5, 7, 0, 0, 0)');
  run('UPDATE category_counts SET sold = 77 WHERE category_id = 1');
  run("UPDATE pets SET name = 'Rêx' WHERE id < 4");
  await maintainSqlite(path).repair();
  expect(await faultsFound()).toEqual([]);
  const database = openSqlite(path);
  await database.write(BY_TEST, ({ pets }) => pets.create(rex({ status: 'sold' })));
  await database.close();
  expect(await faultsFound()).toEqual([]);
});

test.each(MIGRATIONS.map((_, index) => FIRST_VERSION + index))(
  'a repair mends a catalogue of schema version %i, which no start has migrated yet',
  async (version) => {
    path = folder.file('older.db');
    const connection = new Sqlite(path, { create: true });
    migrate(connection, path, migrationsOf(MIGRATIONS, version));
    connection.close(true);
    run("INSERT INTO pets (name, category_id, folded_name) VALUES ('Rex', 1, 'max')");
    run('UPDATE category_counts SET sold = 77');
    run(
      "INSERT INTO orders (pet_id, status, created_at, ended_at, note) VALUES (1, 'cancelled', 0, 0, 'x')",
    );
    // Before, orders had no folded texts.
    const folded = version < 102 ? ['pets'] : ['pets', 'orders'];
    expect(await faultsFound()).toEqual([
      expect.stringContaining('category_counts'),
      ...folded.map((table) => `the folded text of 1 row of ${table} is wrong (the first id is 1)`),
    ]);
    await maintainSqlite(path).repair();
    expect(await faultsFound()).toEqual([]);
  },
);

test('the status counts rows by status, and API keys by state', async () => {
  run('UPDATE orders SET created_at = id');
  const { contents, schema } = await maintainSqlite(path).status(
    Date.parse('2027-01-01T12:00:00.009Z'),
  );
  expect(schema.stored).toBe(schema.current);
  expect(contents).toMatchObject({
    ...CONTENTS,
    firstOrderAt: 1,
    lastOrderAt: 6,
    lastCallAt: Date.parse('2027-01-01T12:00:00Z'),
  });
});
