/** A database in which other roles and programs have created objects. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import postgres from 'postgres';
import { maintainPostgres } from '../../../src/storage/postgres/maintenance/maintenance.ts';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema/migrations.ts';
import { exportPets, importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useEach, useShared } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { failureOf, openScratch, type Scratch } from './scratch.ts';

const TYPES = ['bigint', 'integer', 'text', 'boolean'];
const PAIRS = TYPES.flatMap((left) => TYPES.map((right) => [left, right] as const));

/** Creates operators that fail when they run. For some pairs of types PostgreSQL has no exact operator, so these come first anyway. */
const setTraps = ({ sql, name }: Scratch) =>
  sql.unsafe(`
    ${PAIRS.map(
      ([left, right]) => `CREATE FUNCTION public.trap(${left}, ${right}) RETURNS boolean
        LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'an operator of another role ran'; END $$;
      ${['=', '<', '>', '<=', '>=', '<>', '+', '-']
        .map(
          (operator) =>
            `CREATE OPERATOR public.${operator} (FUNCTION = public.trap, LEFTARG = ${left}, RIGHTARG = ${right});`,
        )
        .join('')}`,
    ).join('')}
    ALTER DATABASE ${name} SET search_path = public, pg_catalog;
  `);

describe('operators of another role before those of PostgreSQL', () => {
  const scratch = useEach(openScratch);

  test('run in an ordinary session of this database', async () => {
    await setTraps(scratch);
    const session = postgres(scratch.url, { max: 1 });
    const compared = await session`SELECT 1::bigint = 1::bigint`.catch(String);
    expect(compared).toContain('an operator of another role ran');
    await session.end();
  });

  test('never run in a session of the service', async () => {
    await setTraps(scratch);
    const database = await scratch.open();
    const pet = await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect(await database.read.pets.get(pet.id)).toEqual(pet);
    await database.write(BY_TEST, ({ pets }) => pets.replace({ ...pet, status: 'sold' }));
    await importPets(database, [rex()]);
    expect(await exportPets(database)).toHaveLength(2);
    await database.checkHealth();
    await database.close();
    const options = { prepared: true, tlsFiles: {}, timeoutMs: 5_000 };
    expect((await maintainPostgres(scratch.url, options).check()).faults).toEqual([]);
  });

  test('are refused at startup behind a pooler, where a session has the path of its role', async () => {
    await setTraps(scratch);
    const { failure, message } = await failureOf(scratch.open({ prepared: false }));
    expect(failure).toBe('refused');
    expect(message).toStartWith('The search_path has the schema public before pg_catalog');
    await scratch.sql.unsafe(`ALTER DATABASE ${scratch.name} SET search_path = public`);
    await (await scratch.open({ prepared: false })).close();
  });
});

describe('objects of another program in the schema animal_store', () => {
  const scratch = useShared(openScratch);
  beforeAll(async () => {
    await scratch.sql.unsafe(
      'CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w',
    );
  });
  afterEach(async () => {
    await scratch.sql`DROP SCHEMA animal_store CASCADE`;
  });

  const objects = () =>
    scratch.sql`SELECT relname, relkind FROM pg_class WHERE relnamespace = to_regnamespace('animal_store') ORDER BY 1`;

  const BODY = "LANGUAGE sql AS 'SELECT 1'";
  const VERSION = 'SELECT true AS only_row, 1 AS version';

  test.each([
    ['a table', 'TABLE animal_store.pets (id int)'],
    ['a partitioned table', 'TABLE animal_store.pets (id int) PARTITION BY LIST (id)'],
    ['a view', 'VIEW animal_store.pets AS SELECT 1 AS id'],
    ['a materialized view', 'MATERIALIZED VIEW animal_store.pets AS SELECT 1 AS id'],
    ['a foreign table', 'FOREIGN TABLE animal_store.pets (id int) SERVER s'],
    ['a sequence', 'SEQUENCE animal_store.pets_id_seq'],
    ['a type', 'TYPE animal_store.pets AS (id int)'],
    ['a domain', 'DOMAIN animal_store.orders AS int'],
    ['a function', `FUNCTION animal_store.count_added_pets() RETURNS int ${BODY}`],
    ['a table schema_version of its own', 'TABLE animal_store.schema_version (v text)'],
    ['a view schema_version', `VIEW animal_store.schema_version AS ${VERSION}`],
  ])('such as %s are refused by name, and left as they are', async (_what, object) => {
    await scratch.sql.unsafe(`CREATE SCHEMA animal_store; CREATE ${object}`);
    const name = /animal_store\.(\w+)/.exec(object)?.[1];
    const before = [...(await objects())];
    const { failure, message } = await failureOf(scratch.open());
    expect(failure).toBe('refused');
    expect(message).toBe(
      `The schema animal_store contains objects of another program (${name}): use another database.`,
    );
    expect([...(await objects())]).toEqual(before);
    const options = { prepared: true, tlsFiles: {}, timeoutMs: 5_000 };
    const status = async () => maintainPostgres(scratch.url, options).status(0);
    const { message: inStatus } = await failureOf(status());
    expect(inStatus).toBe(message);
  });

  test('that contradict the version are refused in a sentence', async () => {
    await scratch.sql.unsafe(`CREATE SCHEMA animal_store;
      CREATE TABLE animal_store.schema_version (only_row boolean PRIMARY KEY DEFAULT true, version integer NOT NULL);
      INSERT INTO animal_store.schema_version (version) VALUES (100);
      CREATE TABLE animal_store.pets (id int)`);
    const next = 'CREATE INDEX pets_by_name ON animal_store.pets (name)';
    const migrations = [...MIGRATIONS.slice(0, 1), next];
    const options = { url: scratch.url, prepared: true, serverTimeoutMs: undefined };
    const { failure, message } = await failureOf(migrate(options, { migrations }));
    expect(failure).toBe('refused');
    expect(message).toMatch(
      /^The schema animal_store cannot be migrated to version 101, because it was changed by others: .*\.$/,
    );
  });

  test('beside the table of the version, after a start of an earlier version of this program, are refused', async () => {
    await scratch.sql.unsafe(`CREATE SCHEMA animal_store;
      CREATE TABLE animal_store.schema_version (only_row boolean PRIMARY KEY DEFAULT true, version integer NOT NULL);
      INSERT INTO animal_store.schema_version (version) VALUES (0);
      CREATE TABLE animal_store.pets (id int)`);
    expect((await failureOf(scratch.open())).message).toContain('(pets)');
  });
});
