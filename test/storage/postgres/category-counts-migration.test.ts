/** The migrations to counts of categories: they count what exists and what is changed in between, and pass on the rights. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { maintainPostgres } from '../../../src/storage/postgres/maintenance/maintenance.ts';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { until } from '../../support/process.ts';
import { INSERT } from './counts.ts';
import { gate, openScratch, type Scratch } from './scratch.ts';

const FOLDER = new URL('../../../src/storage/postgres/schema/migrations/', import.meta.url);
const FILES = readdirSync(FOLDER).sort();
const MIGRATIONS = FILES.map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));

/** The number of the migration that replaces the functions of the triggers. The next one counts. */
const FUNCTIONS = 1 + FILES.findIndex((file) => file.endsWith('-category-counts.sql'));

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.remove());

const migrateTo = (version: number) =>
  migrate(
    { url: scratch.url, prepared: true, serverTimeoutMs: 0 },
    { migrations: MIGRATIONS.slice(0, version) },
  );

const maintenance = () =>
  maintainPostgres(scratch.url, { prepared: true, tlsFiles: {}, timeoutMs: 5_000 });

const faults = async () => (await maintenance().check()).faults.map(({ message }) => message);

test('count the animals that an older version stored', async () => {
  await migrateTo(FUNCTIONS - 1);
  await scratch.sql.unsafe(INSERT);
  await scratch.sql`DELETE FROM animal_store.pets WHERE id = 4`;
  const database = await scratch.open();
  expect(await database.read.pets.inventoriesOf([1, 2, 3])).toEqual([
    { available: 1, pending: 1, sold: 1, unset: 0 },
    { available: 0, pending: 0, sold: 1, unset: 0 },
    { available: 0, pending: 0, sold: 0, unset: 0 },
  ]);
  expect(await faults()).toEqual([]);
});

test('count what is changed between them and beside them, by sessions that are older', async () => {
  await migrateTo(FUNCTIONS - 1);
  await scratch.sql.unsafe(INSERT);
  const { opened, open } = gate();
  const added = gate();
  const older = scratch.sql.begin(async (sql) => {
    await sql.unsafe(INSERT);
    added.open();
    await opened;
    await sql.unsafe(INSERT);
  });
  await added.opened;
  const migrating = migrateTo(FUNCTIONS);
  await until(async () => (await scratch.backends('Lock')).length > 0);
  open();
  await Promise.all([older, migrating]);
  await scratch.sql.unsafe(INSERT);
  await scratch.sql`UPDATE animal_store.pets SET category_id = 3 WHERE id % 4 = 1`;
  await scratch.sql`DELETE FROM animal_store.pets WHERE id % 5 = 1`;
  await scratch.open();
  const empty = await scratch.sql`SELECT category_id FROM animal_store.category_counts
    WHERE (available, pending, sold, unset) = (0, 0, 0, 0)`;
  expect([...empty]).toEqual([]);
  await scratch.sql.unsafe(INSERT);
  expect(await faults()).toEqual([]);
});

test('the compaction of an older version leaves the counts of categories exact', async () => {
  await scratch.open();
  await scratch.sql.unsafe(INSERT);
  await scratch.sql.unsafe(`WITH removed AS (DELETE FROM animal_store.pet_counts RETURNING *)
    INSERT INTO animal_store.pet_counts (available, pending, sold, unset)
    SELECT sum(available), sum(pending), sum(sold), sum(unset) FROM removed`);
  await scratch.sql.unsafe(INSERT);
  expect(await faults()).toEqual([]);
});

test('a check of an older schema does not miss the tables, and a recount repairs its counts', async () => {
  await migrateTo(FUNCTIONS - 1);
  await scratch.sql.unsafe(`${INSERT}; INSERT INTO animal_store.pet_counts VALUES (0, 0, 1, 0)`);
  expect(await faults()).toEqual([
    'pet_counts has 3 animals with the status sold, but there are 2',
  ]);
  await maintenance().recount();
  expect(await faults()).toEqual([]);
});

test('give each role the rights that its part needs, and no more', async () => {
  await migrateTo(FUNCTIONS - 1);
  const [service, importing, reading] = [
    await scratch.createRole(),
    await scratch.createRole(),
    await scratch.createRole(),
  ];
  await scratch.sql.unsafe(`
    GRANT SELECT, INSERT, DELETE ON animal_store.pet_counts TO ${service};
    GRANT INSERT ON animal_store.pet_counts TO ${importing};
    GRANT SELECT ON animal_store.pet_counts TO ${reading}`);
  await (await scratch.open()).close();
  const rightsOf = async (table: string) => {
    const rows = await scratch.sql`
      SELECT pg_get_userbyid(grantee) AS role, string_agg(privilege_type, ' ' ORDER BY privilege_type) AS rights
      FROM pg_class, aclexplode(relacl)
      WHERE pg_class.oid = ${`animal_store.${table}`}::regclass AND grantee <> relowner GROUP BY grantee`;
    return Object.fromEntries(rows.map(({ role, rights }) => [role, rights]));
  };
  expect(await rightsOf('category_counts')).toEqual({
    [service]: 'DELETE INSERT SELECT UPDATE',
    [reading]: 'SELECT',
  });
  expect(await rightsOf('category_count_changes')).toEqual({
    [service]: 'DELETE INSERT SELECT',
    [importing]: 'INSERT',
    [reading]: 'SELECT',
  });
});
