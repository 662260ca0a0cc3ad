import { describe, expect, test } from 'bun:test';
import {
  currentVersion,
  migrate,
  schemaVersion,
} from '../../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema/migrations.ts';
import { BY_TEST } from '../../support/cause.ts';
import { sharedPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
import { useEach } from '../../support/use-each.ts';
import { readAll, rex } from '../animals.ts';
import { failureOf, openScratch } from './scratch.ts';

/** Three versions of a schema. The later ones change tables of the earlier ones. */
const VERSIONS = [
  'CREATE TABLE animal_store.notes (id int PRIMARY KEY, text text NOT NULL)',
  `ALTER TABLE animal_store.notes ADD COLUMN author text NOT NULL DEFAULT 'nobody';
   CREATE INDEX notes_by_author ON animal_store.notes (author);`,
  "UPDATE animal_store.notes SET text = text || '!'",
];

const scratch = useEach(openScratch);

const run = (migrations = MIGRATIONS, options: Parameters<typeof migrate>[1] = {}) =>
  migrate(
    { url: scratch.url, prepared: true, serverTimeoutMs: undefined },
    { migrations, ...options },
  );

const version = async (): Promise<unknown> =>
  (await scratch.sql`SELECT version FROM animal_store.schema_version`)[0]?.['version'];

/** All objects that were created in the database, with the transaction of their last change. */
async function contents(): Promise<unknown> {
  const objects = await scratch.sql`
    SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.xmin::text AS changed
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2`;
  const schemas = await scratch.sql`
    SELECT nspname, xmin::text AS changed FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_t%' ORDER BY 1`;
  return { objects: [...objects], schemas: [...schemas] };
}

test('the migrations do not control transactions or create anything outside of our schema', () => {
  for (const sql of MIGRATIONS) {
    const withoutBodies = sql.replaceAll(/\$\$[\s\S]*?\$\$/g, '');
    expect(withoutBodies).not.toMatch(/^\s*(BEGIN|COMMIT|END|ROLLBACK)\b/im);
    const created =
      /^(?:(?:CREATE|ALTER|DROP) TABLE|CREATE FUNCTION|CREATE .*(?:INDEX|TRIGGER) .* ON) (\S+)/gim;
    for (const [, name] of sql.matchAll(created)) expect(name).toStartWith('animal_store.');
  }
});

describe('migrating', () => {
  test('does not change a database with the current schema', async () => {
    await run();
    const before = await contents();
    await run();
    expect(await contents()).toEqual(before);
    expect(await version()).toBe(currentVersion());
  });

  test.each([1, 2, 3])(
    'runs each migration once, from the first one to number %i and then to the newest one',
    async (last) => {
      await run(VERSIONS.slice(0, 1));
      await scratch.sql`INSERT INTO animal_store.notes VALUES (1, 'text')`;
      await run(VERSIONS.slice(0, last));
      await run(VERSIONS);
      await run(VERSIONS);
      const notes = await scratch.sql`SELECT * FROM animal_store.notes`;
      expect([...notes]).toEqual([{ id: 1, text: 'text!', author: 'nobody' }]);
    },
  );

  test('leaves the previous version if a migration fails, and can be repeated', async () => {
    await run(VERSIONS.slice(0, 1));
    const before = await contents();
    await expect(run([VERSIONS[0] ?? '', `${VERSIONS[1]} SELECT oops;`])).rejects.toThrow('oops');
    expect(await contents()).toEqual(before);
    expect(await version()).toBe(100);
    await run(VERSIONS);
    expect(await version()).toBe(102);
  });

  test('leaves no table of the catalogue if the first migration fails, and reports none of a new one', async () => {
    await expect(run([`${VERSIONS[0]}; SELECT oops;`])).rejects.toThrow('oops');
    const tables = await scratch.sql`SELECT tablename FROM pg_tables
      WHERE schemaname = 'animal_store'`;
    expect(tables.map(({ tablename }) => tablename)).toEqual(['schema_version']);
    expect(await version()).toBe(0);
    const reports: [number, number][] = [];
    const onMigrated = (from: number, to: number) => reports.push([from, to]);
    for (const count of [1, 3, 3]) await run(VERSIONS.slice(0, count), { onMigrated });
    expect(reports).toEqual([[100, 102]]);
  });
});

/** Runs the SQL `then` while `work` waits for a lock on a system table. */
async function whileWaitingFor(table: string, work: () => Promise<unknown>, then: string) {
  const holder = await scratch.sql.reserve();
  await holder.unsafe(`BEGIN; LOCK TABLE pg_catalog.${table} IN SHARE MODE`);
  const working = work();
  await until(async () => (await scratch.backends('Lock')).length > 0);
  await holder.unsafe(`${then}; COMMIT`);
  holder.release();
  await working;
}

describe('opening', () => {
  test.each(['pg_class', 'pg_type'])(
    'succeeds if another instance creates the first table simultaneously, detected at %s',
    async (table) => {
      await scratch.sql`CREATE SCHEMA animal_store`;
      const first = `CREATE TABLE animal_store.schema_version (
        only_row boolean PRIMARY KEY DEFAULT true, version integer NOT NULL)`;
      await whileWaitingFor(table, () => scratch.open(), first);
      expect(await version()).toBe(currentVersion());
    },
  );

  test('knows the objects of another instance that has created them since the version was read', async () => {
    const found = schemaVersion(async (text) => {
      if (text.includes('pg_proc')) await (await scratch.open()).close();
      return scratch.sql.unsafe(text);
    });
    expect(await found).toBe(currentVersion());
  });

  test('creates the tables as a role that owns the schema, and may create none', async () => {
    const role = await scratch.createRole();
    const database = scratch.sql(scratch.name);
    await scratch.sql`REVOKE CREATE ON DATABASE ${database} FROM PUBLIC, ${scratch.sql(role)}`;
    await scratch.sql`CREATE SCHEMA animal_store AUTHORIZATION ${scratch.sql(role)}`;
    for (const _again of [1, 2]) await (await scratch.open({}, scratch.roleUrl(role))).close();
    expect(await version()).toBe(currentVersion());
  });

  test('an empty database by four instances simultaneously creates one schema, beside tables of others', async () => {
    await scratch.sql`CREATE TABLE public.pets AS SELECT 7 AS id`;
    await scratch.sql`CREATE TABLE public.schema_version (only_row boolean, version integer)`;
    const instances = await Promise.all(
      Array.from({ length: 4 }, () => scratch.open({ connections: 2 })),
    );
    const added = await Promise.all(instances.map(({ addPet }) => addPet(BY_TEST, rex())));
    expect(new Set(added.map(({ id }) => id)).size).toBe(4);
    for (const instance of instances) expect(await readAll(instance)).toHaveLength(4);
    const versions = await scratch.sql`SELECT version FROM animal_store.schema_version`;
    expect([...versions]).toEqual([{ version: currentVersion() }]);
  });

  test.each([
    [9999, /^The database has schema version 9999, but this program knows only \d+: use a newer/],
    [
      11,
      /^The database has schema version 11, from before the first release\. This program cannot/,
    ],
  ])('refuses schema %i, without a change', async (unknown, sentence) => {
    await (await scratch.open()).close();
    await scratch.sql`UPDATE animal_store.schema_version SET version = ${unknown}`;
    const before = await contents();
    const { failure, message } = await failureOf(scratch.open());
    expect(failure).toBe('refused');
    expect(message).toMatch(sentence);
    expect(await contents()).toEqual(before);
    expect(await version()).toBe(unknown);
  });

  test('refuses a database without a catalogue if none may be created', async () => {
    const before = await contents();
    const { failure, message } = await failureOf(scratch.open({ mayCreate: false }));
    expect(failure).toBe('absent');
    expect(message).toStartWith('There is no catalogue in this database');
    expect(await contents()).toEqual(before);
  });

  test('refuses a server older than the oldest supported version, without a change', async () => {
    const [server] = await scratch.sql`SHOW server_version`;
    const current: string = server?.['server_version'];
    const major = Number.parseInt(current, 10);
    const before = await contents();
    const { failure, message } = await failureOf(run(undefined, { oldestVersion: major + 1 }));
    expect(failure).toBe('refused');
    expect(message).toBe(
      `The server is PostgreSQL ${current}, which is too old: use version ${major + 1} or a newer one.`,
    );
    expect(await contents()).toEqual(before);
    await run(undefined, { oldestVersion: major });
    expect(await version()).toBe(currentVersion());
  });

  test('refuses a database whose encoding is not UTF8', async () => {
    const { sql } = await sharedPostgres();
    const name = `latin_${crypto.randomUUID().replaceAll('-', '')}`;
    await sql`CREATE DATABASE ${sql(name)} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`;
    try {
      const { failure, message } = await failureOf(scratch.open({}, scratch.server.url(name)));
      expect(failure).toBe('refused');
      expect(message).toContain('encoding LATIN1');
    } finally {
      await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`;
    }
  });
});

test('a role without the right to create is refused if there is no schema yet', async () => {
  const role = await scratch.createRole();
  const before = await contents();
  const { failure, message } = await failureOf(scratch.open({}, scratch.roleUrl(role)));
  expect(failure).toBe('refused');
  expect(message).toContain('permission denied for database');
  expect(await contents()).toEqual(before);
});
