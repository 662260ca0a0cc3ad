/** `copy` takes a database that nothing else uses: what a service adds later would be missing in the copy. */
import { Database as Sqlite } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { currentVersion, migrate } from '../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../src/storage/postgres/schema/migrations.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import {
  currentVersion as fileVersion,
  migrate as migrateFile,
} from '../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS as FILE_MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { rex } from '../storage/animals.ts';
import { openMigratedScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { importPets } from '../support/catalogue.ts';
import { createKey } from '../support/create-key.ts';
import {
  animalStore,
  commandOf,
  type Outcome,
  postPet,
  startCommand,
  until,
  type Workplace,
  workplace,
} from '../support/process.ts';
import { expectRefused } from './maintained.ts';

const copy = (from: string, to: string): Promise<Outcome> =>
  animalStore(['copy', '--from', from, '--to', to]);

/** Copies a database that a running service uses, and again when the service has stopped. */
async function copyInUse(from: string, { file, has }: Workplace): Promise<string> {
  const key = await createKey(from);
  const serve = commandOf('serve', '--database', from, '--port', '0');
  await using service = await startCommand(serve, { showsKey: false });
  expect((await postPet(service.origin, key, rex())).status).toBe(201);
  const refused = await copy(from, file('copy.db'));
  expectRefused(refused, ' is in use');
  expect(has('copy.db')).toBe(false);
  expect((await postPet(service.origin, key, rex())).status).toBe(201);
  expect((await service.stop()).status).toBe(0);
  const { status, stdout, stderr } = await copy(from, file('copy.db'));
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^Copied to /m)]);
  expect(stdout).toMatch(/^pets +2 /m);
  return refused.stderr;
}

test.concurrent('a file that a service uses is refused, and copied with all animals when the service has stopped', async () => {
  using place = workplace();
  expect(await copyInUse(place.database, place)).toBe(
    `animal-store: ${place.database} is in use: stop the service and everything else that has it open.\n`,
  );
});

test.concurrent('a PostgreSQL database that a service uses is refused, with its sessions, and copied with all animals when the service has stopped', async () => {
  using place = workplace();
  await using scratch = await openMigratedScratch();
  expect(await copyInUse(scratch.url, place)).toMatch(
    /^animal-store: The database is in use \(animal-store as postgres, PID \d+.*\): stop the service and everything else that has it open\.\n$/,
  );
});

test.concurrent('a PostgreSQL database is in use by a session of any role that may add animals, and not by other roles or a superuser with another name', async () => {
  using place = workplace();
  await using scratch = await openMigratedScratch();
  const [reader, writer] = [await scratch.createRole(), await scratch.createRole()];
  await scratch.sql.unsafe(`GRANT USAGE ON SCHEMA animal_store TO ${reader}, ${writer};
    GRANT SELECT ON ALL TABLES IN SCHEMA animal_store TO ${reader};
    GRANT SELECT ON ALL SEQUENCES IN SCHEMA animal_store TO ${reader};
    GRANT INSERT ON animal_store.pets TO ${writer}`);
  const copyAsReader = () => copy(scratch.roleUrl(reader), place.file('copy.db'));
  const openAs = async (role: string) => {
    const connection = { application_name: 'shop' };
    const session = postgres(scratch.roleUrl(role), { max: 1, connection });
    await session`SELECT 1`;
    return session;
  };
  const other = await openAs(reader);
  await scratch.sql`SELECT 1`;
  expect((await copyAsReader()).status).toBe(0);
  const shop = await openAs(writer);
  const refused = await copyAsReader();
  const inUse = expect.stringContaining(`in use (shop as ${writer}, PID `);
  expect([refused.status, refused.stderr]).toEqual([1, inUse]);
  await Promise.all([other.end(), shop.end()]);
  expect((await copyAsReader()).status).toBe(0);
});

test.concurrent('a copy waits for a session that ends, and refuses a superuser with the application_name of its URL', async () => {
  using place = workplace();
  await using scratch = await openMigratedScratch();
  const connection = { application_name: 'shop' };
  const shop = postgres(scratch.url, { max: 1, connection });
  await shop`SELECT 1`;
  const from = `${scratch.url}?application_name=shop`;
  const refused = await copy(from, place.file('copy.db'));
  const inUse = expect.stringContaining('in use (shop as postgres, PID ');
  expect([refused.status, refused.stderr]).toEqual([1, inUse]);
  const hasLooked = `EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'shop'
    AND pid <> pg_backend_pid() AND query LIKE '%FROM pg_stat_activity%')`;
  await until(async () => !(await shop.unsafe(`SELECT ${hasLooked} AS has`))[0]?.['has']);
  // The session ends itself at the first look: the command looks for a second, in which this process may get no turn.
  shop
    .unsafe(`DO $$ BEGIN
      WHILE NOT ${hasLooked} LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP;
      PERFORM pg_terminate_backend(pg_backend_pid()); END $$`)
    .catch(() => {});
  expect((await copy(from, place.file('copy.db'))).status).toBe(0);
  await shop.end({ timeout: 0 });
});

test.concurrent('a PostgreSQL database that is in use is not migrated for a copy', async () => {
  using place = workplace();
  await using scratch = await openMigratedScratch();
  await scratch.sql`DROP SCHEMA animal_store CASCADE`;
  const options = { url: scratch.url, prepared: true, serverTimeoutMs: 0 };
  await migrate(options, { migrations: MIGRATIONS.slice(0, -1) });
  const connection = { application_name: 'animal-store' };
  const service = postgres(scratch.url, { max: 1, connection });
  await service`SELECT 1`;
  expect((await copy(scratch.url, place.file('copy.db'))).status).toBe(1);
  const [row] = await service`SELECT version FROM animal_store.schema_version`;
  expect(row).toEqual({ version: currentVersion() - 1 });
  await service.end();
});

test.concurrent('a file that is in use is not migrated for a copy', async () => {
  using place = workplace();
  const { database, file } = place;
  using user = new Sqlite(database);
  user.run('PRAGMA journal_mode = WAL');
  migrateFile(user, database, FILE_MIGRATIONS.slice(0, -1));
  expect((await copy(database, file('copy.db'))).status).toBe(1);
  expect(user.query('PRAGMA user_version').values()).toEqual([[fileVersion() - 1]]);
});

const HELD_INSERT = `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
  CREATE TRIGGER wait AFTER INSERT ON animal_store.pets FOR EACH STATEMENT EXECUTE FUNCTION wait()`;

/** Copies into a database where the copy waits after its first animals. Resolves when it waits; `release` lets it go on. */
async function startHeldCopy(from: string, target: Scratch) {
  await target.sql.unsafe(HELD_INSERT);
  const holder = await target.sql.reserve();
  await holder`SELECT pg_advisory_lock(1)`;
  const copied = copy(from, target.url);
  await until(async () => (await target.backends('Lock')).length === 1);
  const release = async () => {
    await holder`SELECT pg_advisory_unlock(1)`;
    holder.release();
  };
  return { copied, release };
}

test.concurrent('a service waits to start on a file until the copy of it has ended', async () => {
  using place = workplace();
  await using scratch = await openMigratedScratch();
  const source = openSqlite(place.database);
  await importPets(source, [rex()]);
  await source.close();
  const { copied, release } = await startHeldCopy(place.database, scratch);
  const started = startCommand(commandOf('serve', '--database', place.database, '--port', '0'));
  // It has tried to open the file by then.
  await sleep(300);
  await release();
  const first = await Promise.race([copied.then(() => 'copy'), started.then(() => 'service')]);
  expect([first, (await copied).status]).toEqual(['copy', 0]);
  await using service = await started;
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
});

test.concurrent.each<[string, string, (scratch: Scratch) => Promise<unknown>]>([
  [
    'a service has started on its PostgreSQL database before the end',
    'The database is in use',
    async (scratch) => (await scratch.open()).checkHealth(),
  ],
  [
    'a command changed its PostgreSQL database and has ended before the copy',
    'was changed while it was copied',
    ({ url }) =>
      animalStore(['import', '-', '--database', url], { input: 'name,categoryId\nMia,1\n' }),
  ],
])('a copy fails, and copies nothing, if %s', async (_what, message, change) => {
  await using scratch = await openMigratedScratch();
  await using target = await openMigratedScratch();
  const source = await scratch.open();
  await importPets(source, [rex()]);
  await source.close();
  const { copied, release } = await startHeldCopy(scratch.url, target);
  await change(scratch);
  await release();
  const { status, stderr } = await copied;
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(await target.sql`SELECT FROM animal_store.pets`).toHaveLength(0);
});
