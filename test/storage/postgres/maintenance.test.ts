import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Maintenance } from '../../../src/storage/maintenance.ts';
import { maintainPostgres } from '../../../src/storage/postgres/maintenance/maintenance.ts';
import { currentVersion, migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { expectedObjects } from '../../../src/storage/postgres/schema/objects.ts';
import { BY_TEST } from '../../support/cause.ts';
import { WHAT, what } from '../../support/stored-events.ts';
import { rex } from '../animals.ts';
import { FAULTS_TO_FIND, type FaultToFind } from '../faults-to-find.ts';
import { CONTENTS, fillCatalogue } from '../full-catalogue.ts';
import { openCopy, openMigratedScratch, openScratch, type Scratch } from './scratch.ts';

const OPTIONS = { prepared: true, tlsFiles: {}, timeoutMs: 5_000 };

let filled: Scratch;
beforeAll(async () => {
  filled = await openMigratedScratch();
  const database = await filled.open();
  await fillCatalogue(database);
  await database.close();
});
afterAll(() => filled.remove());

let scratch: Scratch;
let maintenance: Maintenance;
beforeEach(async () => {
  scratch = await openCopy(filled);
  maintenance = maintainPostgres(scratch.url, OPTIONS);
});
afterEach(() => scratch.remove());

const faultsFound = async (): Promise<string[]> =>
  (await maintenance.check()).faults.map(({ message }) => message);

const run = (statements: readonly string[]) =>
  scratch.sql.unsafe(`SET search_path = animal_store; ${statements.join('; ')}; RESET search_path`);

/** Each category gets one row of counts, as on SQLite. */
const MERGE = `WITH replaced AS (DELETE FROM category_counts RETURNING *)
  INSERT INTO category_counts
  SELECT category_id, sum(available), sum(pending), sum(sold), sum(unset), true FROM replaced GROUP BY category_id`;

const merged = Object.entries(FAULTS_TO_FIND)
  .filter(([, { statements }]) => statements.some((text) => text.includes('category_counts')))
  .map(([what, { statements, faults }]) => [what, { statements: [MERGE, ...statements], faults }]);

const FAULTS: Readonly<Record<string, FaultToFind>> = {
  ...FAULTS_TO_FIND,
  ...Object.fromEntries(merged),
  'wrong rows of counts that are no sums': {
    statements: ['INSERT INTO category_counts VALUES (1, 0, 0, 2, 0), (123, 0, 0, -1, 0)'],
    faults: [
      'category_counts has 3 animals of category 1 with the status sold, but there are 1',
      'category_counts has -1 animals of category 123 with the status sold, but there are 0',
    ],
  },
  'two open orders for one animal, and the index that prevents them is missing': {
    statements: [
      'DROP INDEX one_open_order',
      "INSERT INTO orders (pet_id, status, created_at) VALUES (1, 'approved', 0)",
    ],
    faults: ['the index one_open_order is missing', 'animal 1 has 2 open orders'],
  },
  'ids above the highest assigned one': {
    statements: ["SELECT setval('orders_id_seq', 5)"],
    faults: ['the id 6 in orders is outside of the assigned ids 1 to 5'],
  },
  'ids that are used up, and that may be assigned twice': {
    statements: [
      "SELECT setval('outbox_id_seq', 9223372036854775807)",
      'ALTER SEQUENCE pets_id_seq MAXVALUE 1152921504606846976',
      "SELECT setval('orders_id_seq', 9223372036854775807)",
      'ALTER SEQUENCE orders_id_seq CYCLE',
      'ALTER SEQUENCE events_id_seq INCREMENT -1',
    ],
    faults: [
      'the sequence events_id_seq may assign an id twice',
      'the sequence orders_id_seq may assign an id twice',
      'the ids of outbox are used up, so nothing can be added',
      'the ids of pets are used up, so nothing can be added',
    ],
  },
  'an event that nobody can read, and that is not in the feed yet': {
    statements: [
      `INSERT INTO outbox (${WHAT}, at, content) VALUES (${what('pet.created', 1)}, 0, '[]')`,
    ],
    faults: [
      expect.stringMatching(/^row \d+ of outbox \(pet.created of pets\/1\) cannot be read: /),
    ],
  },
  'an id in a table that never assigned one': {
    statements: ['DELETE FROM orders WHERE id > 1', "SELECT setval('orders_id_seq', 1, false)"],
    faults: ['the id 1 in orders is outside of the assigned ids 1 to 0'],
  },
  'missing and disabled triggers, and an invalid index': {
    statements: [
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'pets_by_status'::regclass",
      'DROP TRIGGER count_removed_pets ON pets',
      'ALTER TABLE pets DISABLE TRIGGER count_added_pets',
    ],
    faults: [
      'the index pets_by_status is disabled or invalid',
      'the trigger count_added_pets is disabled or invalid',
      'the trigger count_removed_pets is missing',
    ],
  },
  'a missing table': {
    statements: ['DROP TABLE idempotency_records'],
    faults: [
      'the table idempotency_records is missing',
      'the index idempotency_records_by_age is missing',
    ],
  },
};

describe('a check of a PostgreSQL database', () => {
  test('finds no faults in a sound catalogue', async () => {
    expect(await maintenance.check()).toEqual({ faults: [], warnings: [] });
  });

  for (const [what, { statements, faults }] of Object.entries(FAULTS)) {
    test(`finds ${what}`, async () => {
      await run(statements);
      expect(await faultsFound()).toEqual([...faults]);
    });
  }

  test('expects all objects of the schema', async () => {
    const rows = await scratch.sql<{ name: string }[]>`
      SELECT 'table ' || tablename AS name FROM pg_tables
        WHERE schemaname = 'animal_store' AND tablename <> 'schema_version'
      UNION ALL SELECT 'index ' || indexname FROM pg_indexes
        WHERE schemaname = 'animal_store' AND indexname !~ '_(pkey|key)$'
      UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT 'function ' || proname FROM pg_proc
        WHERE pronamespace = 'animal_store'::regnamespace`;
    const expected = expectedObjects(currentVersion());
    expect(expected.sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  test('and its status are refused if there is no catalogue, and create none', async () => {
    const empty = await openScratch();
    const absent = maintainPostgres(empty.url, OPTIONS);
    try {
      expect(await absent.schema()).toMatchObject({ stored: undefined });
      const refusal = Promise.resolve(absent.check()).catch((error: Error) => error.message);
      expect(await refusal).toContain('There is no catalogue in this database');
      expect((await absent.status(0)).contents).toBeUndefined();
      const schemas = await empty.sql`SELECT FROM pg_namespace WHERE nspname = 'animal_store'`;
      expect(schemas.count).toBe(0);
      // Version 0.
      const options = { url: empty.url, prepared: true, serverTimeoutMs: 0 };
      await expect(migrate(options, { migrations: ['oops'] })).rejects.toThrow('oops');
      expect(await absent.schema()).toMatchObject({ stored: undefined });
    } finally {
      await empty.remove();
    }
  });
});

test('a check names the objects of other programs in the schema, and does not judge them', async () => {
  await run([
    'CREATE TABLE notes (id int PRIMARY KEY, text text UNIQUE)',
    'CREATE VIEW report AS SELECT count(*) FROM pets',
    'CREATE MATERIALIZED VIEW daily AS SELECT 1 AS day',
    'CREATE TABLE parts (id int) PARTITION BY LIST (id)',
    'CREATE INDEX pets_by_name ON pets (name)',
    'CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE TRIGGER audited AFTER DELETE ON pets FOR EACH ROW EXECUTE FUNCTION audit()',
    // Its functions are not listed.
    'CREATE EXTENSION citext',
  ]);
  expect(await maintenance.check()).toEqual({
    faults: [],
    warnings: [
      'The database also contains objects of other programs, which are not checked: ' +
        'function audit, index pets_by_name, materialized view daily, table notes, table parts and 2 more.',
    ],
  });
});

test.each([
  ['a newer version', 9999, 'has schema version 9999, but this program knows only'],
  ['before the first release', 11, 'has schema version 11, from before the first release'],
])('a check and a status refuse a schema of %s', async (_what, version, message) => {
  await run([`UPDATE schema_version SET version = ${version}`]);
  await expect(maintenance.check()).rejects.toThrow(message);
  await expect(maintenance.status(0)).rejects.toThrow(message);
  await expect(maintenance.schema()).rejects.toThrow(message);
});

test('a repair beside additions mends the counts exactly, and the folded names', async () => {
  await run([
    MERGE,
    'DELETE FROM category_counts WHERE category_id = 0',
    'INSERT INTO category_counts VALUES (5, 7, 0, 0, 0, true)',
    'INSERT INTO category_counts VALUES (1, 7, -7, 0, 0)',
    "UPDATE pets SET name = 'Rêx' WHERE id < 4",
  ]);
  const database = await scratch.open();
  let isOver = false;
  const adding = (async () => {
    for (let count = 0; !isOver || count < 50; count += 1)
      await database.addPet(BY_TEST, rex({ status: 'available' }));
  })();
  await maintenance.repair();
  isOver = true;
  await adding;
  expect(await faultsFound()).toEqual([]);
  const counts = () => scratch.sql`SELECT count(*) FROM animal_store.category_counts`;
  const before = await counts();
  await maintenance.repair();
  expect(await counts()).toEqual(before);
});

test('the status has the numbers of rows, and the size', async () => {
  const status = await maintenance.status(Date.parse('2027-01-01T12:00:00.009Z'));
  expect(status.contents).toMatchObject(CONTENTS);
  expect(status.sizes['database']).toBeGreaterThan(1_000_000);
});

test('the status counts the connections to its own database alone', async () => {
  const other = await openMigratedScratch();
  const held = await Promise.all(Array.from({ length: 4 }, () => scratch.sql.reserve()));
  try {
    const { connections } = await maintainPostgres(other.url, OPTIONS).status(0);
    // Its own, and perhaps workers of autovacuum.
    expect(connections?.open).toBeWithin(1, 1 + held.length);
  } finally {
    for (const one of held) one.release();
    await other.remove();
  }
});

test('a server that accepts connections and does not respond is reported after the timeout', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://shop@127.0.0.1:${port}/store?sslmode=disable`;
  try {
    const { status } = maintainPostgres(url, { ...OPTIONS, timeoutMs: 100 });
    await expect(status(0)).rejects.toThrow(`127.0.0.1:${port} did not respond in time`);
  } finally {
    silent.close();
  }
});
