/** The migration of events grants what holders of keys and roles of the database need from then on. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema/migrations.ts';
import { openScratch, type Scratch } from './scratch.ts';

/** The schema before it. */
const BEFORE = MIGRATIONS.findIndex((text) => text.includes('event_feed'));

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
  await migrateTo(BEFORE);
});
afterEach(() => scratch.remove());

const migrateTo = (version: number) =>
  migrate(
    { url: scratch.url, prepared: true, serverTimeoutMs: undefined },
    { migrations: MIGRATIONS.slice(0, version) },
  );

test('keys with keys:admin get events:read, and no others', async () => {
  const scopes = ['keys:admin', 'pets:read keys:admin', 'pets:read', ''];
  for (const [index, text] of scopes.entries())
    await scratch.sql`INSERT INTO animal_store.api_keys (name, hash, hint, scopes, created_at)
      VALUES ('a', ${Buffer.alloc(32, index)}, 'a', ${text}, 1)`;
  await migrateTo(MIGRATIONS.length);
  const rows = await scratch.sql`SELECT scopes FROM animal_store.api_keys ORDER BY id`;
  expect(rows.map((row) => row['scopes'])).toEqual([
    'keys:admin events:read',
    'pets:read keys:admin events:read',
    'pets:read',
    '',
  ]);
});

test('roles get the rights that follow from theirs', async () => {
  const { sql } = scratch;
  const [service, importer, revoker, copier, reader] = [
    await scratch.createRole(),
    await scratch.createRole(),
    await scratch.createRole(),
    await scratch.createRole(),
    await scratch.createRole(),
  ];
  await sql`GRANT SELECT, INSERT ON animal_store.pets, animal_store.orders, animal_store.api_keys TO ${sql(service)}`;
  await sql`GRANT INSERT ON animal_store.pets TO ${sql(importer)}`;
  await sql`GRANT UPDATE ON animal_store.api_keys TO ${sql(revoker)}`;
  await sql`GRANT SELECT ON ALL TABLES IN SCHEMA animal_store TO ${sql(copier)}`;
  await sql`GRANT SELECT ON ALL SEQUENCES IN SCHEMA animal_store TO ${sql(copier)}`;
  await sql`GRANT SELECT ON animal_store.pets TO ${sql(reader)}`;
  await migrateTo(MIGRATIONS.length);
  const rightsOf = async (role: string) => {
    const rows =
      await sql`SELECT relname || ' ' || string_agg(privilege_type, ' ' ORDER BY privilege_type) AS right
      FROM pg_class, aclexplode(relacl) WHERE grantee = ${role}::regrole
        AND relname IN ('outbox', 'events', 'event_feed', 'events_id_seq') GROUP BY relname ORDER BY relname`;
    return rows.map((row) => row['right'] as string);
  };
  expect(await rightsOf(service)).toEqual([
    'event_feed SELECT UPDATE',
    'events DELETE INSERT SELECT',
    'outbox DELETE INSERT SELECT',
  ]);
  for (const role of [importer, revoker]) expect(await rightsOf(role)).toEqual(['outbox INSERT']);
  expect(await rightsOf(copier)).toEqual([
    'event_feed SELECT',
    'events SELECT',
    'events_id_seq SELECT',
    'outbox SELECT',
  ]);
  expect(await rightsOf(reader)).toEqual([]);
});
