import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { rex } from '../storage/animals.ts';
import { fillCatalogue, readEverything } from '../storage/full-catalogue.ts';
import { openScratch } from '../storage/postgres/scratch.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { startForwarder } from '../support/forwarder.ts';
import {
  animalStore,
  inWorkplace,
  ONE_SENTENCE,
  type Outcome,
  spawnAnimalStore,
  until,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const PASSWORD = 'sw0rdf1sh';

/** Copied for each test. */
const filled = workplace();
beforeAll(() => inFile(filled.database, fillCatalogue));
afterAll(() => filled.remove());

/** A file with rows of every kind, and an empty PostgreSQL database with its URL, which has a password. */
const here = useEach(async () => {
  const place = workplace();
  copyFileSync(filled.database, place.database);
  const scratch = await openScratch();
  const target = scratch.url.replace('postgres@', `postgres:${PASSWORD}@`);
  return { ...place, scratch, target, remove: () => scratch.remove().then(place.remove) };
});

async function using<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
const inFile = <T>(path: string, work: (database: Database) => Promise<T>) =>
  using(openSqlite(path), work);
const inPostgres = async <T>(url: string, work: (database: Database) => Promise<T>) =>
  using(await openPostgres(url), work);

/** Runs `copy`, and checks that it prints no password. */
async function copy(from: string, to: string, ...flags: readonly string[]): Promise<Outcome> {
  const outcome = await animalStore(['copy', '--from', from, '--to', to, ...flags]);
  expect(outcome.stdout + outcome.stderr).not.toContain(PASSWORD);
  // Without the progress, which only a slow machine shows.
  return { ...outcome, stderr: outcome.stderr.replace(/^(?:\d+ %, .*\n)+/, '') };
}

test('a catalogue is copied from a file to PostgreSQL and back without a difference', async () => {
  const { database, target, scratch, file } = here;
  const all = await inFile(database, readEverything);
  const there = await copy(database, target, '--json');
  expect(there.status).toBe(0);
  expect(await inPostgres(scratch.url, readEverything)).toStrictEqual(all);
  const back = await copy(target, file('back.db'), '--json');
  expect(back.stdout).toBe(there.stdout);
  expect(await inFile(file('back.db'), readEverything)).toStrictEqual(all);
  expect(JSON.parse(there.stdout)).toMatchObject({ isNew: true, parts: { pets: { rows: 39 } } });
});

const DISABLED =
  'Webhook endpoints are disabled: 1. The other database may still send to them. Enable those that this one is to send to.\n';

test('a repeated copy exits with status 0 and reports the same catalogue', async () => {
  const { database, target, scratch } = here;
  const first = await copy(database, target);
  const address = scratch.url;
  const copied = `Copied to ${address}, read back and compared.\n${DISABLED}`;
  expect([first.status, first.stderr]).toEqual([0, copied]);
  const second = await copy(database, target);
  const unchanged = `${address} already contains the same catalogue. Nothing was changed.\n`;
  expect([second.status, second.stderr]).toEqual([0, unchanged]);
  expect(second.stdout).toBe(first.stdout);
  expect(second.stdout).toMatch(/^PART +ROWS +SHA-256\ncategories +13 +[0-9a-f]{64}\npets +39 /);
});

test('a target with another catalogue is rejected unchanged, in both directions', async () => {
  const { database, target, scratch } = here;
  await inPostgres(scratch.url, ({ write }) => write(BY_TEST, ({ pets }) => pets.create(rex())));
  for (const [from, to, name] of [
    [database, target, scratch.url],
    [target, database, database],
  ] as const) {
    const { status, stdout, stderr } = await copy(from, to);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `animal-store: ${name} already contains another catalogue. Nothing was copied.\n`,
    );
  }
  expect(await inPostgres(scratch.url, readEverything)).toMatchObject({
    pets: [{ id: 1, ...rex() }],
    keys: [],
  });
  expect((await inFile(database, readEverything)).pets).toHaveLength(39);
});

test('a target that returns other rows than were written fails the copy with one sentence, and stays empty', async () => {
  const { database, target, scratch } = here;
  const empty = await inPostgres(scratch.url, readEverything);
  await scratch.sql.unsafe(`CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.name := NEW.name || ' '; RETURN NEW; END $$;
      CREATE TRIGGER change BEFORE INSERT ON animal_store.pets FOR EACH ROW
      WHEN (NEW.id = 7) EXECUTE FUNCTION change()`);
  const { status, stderr } = await copy(database, target);
  expect(status).toBe(1);
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toMatch(/The rows read back from .* differ from the rows written/);
  expect(await inPostgres(scratch.url, readEverything)).toStrictEqual(empty);
});

/** Starts `copy`, and kills it when `moment` resolves. */
async function killAt(moment: () => Promise<void>, from: string, to: string): Promise<void> {
  const outputs = { stdout: 'ignore', stderr: 'ignore' } as const;
  const child = spawnAnimalStore(['copy', '--from', from, '--to', to], outputs);
  try {
    await moment();
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
  expect(child.signalCode).toBe('SIGKILL');
}

test.each([
  ['writes rows', 'CREATE TRIGGER', 'BEFORE INSERT', 'idempotency_records', ''],
  ['commits', 'CREATE CONSTRAINT TRIGGER', 'AFTER INSERT', 'pets', 'INITIALLY DEFERRED'],
])(
  'a copy into PostgreSQL that is killed while it %s leaves nothing behind, and can be repeated',
  async (_when, create, moment, table, deferred) => {
    const { database, target, scratch } = here;
    const empty = await inPostgres(scratch.url, readEverything);
    await scratch.sql.unsafe(`CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
        ${create} hang ${moment} ON animal_store.${table} ${deferred}
        FOR EACH ROW EXECUTE FUNCTION hang();
        ALTER DATABASE ${scratch.name} SET client_connection_check_interval = '10ms'`);
    const hangs = async () => (await scratch.backends('Timeout')).length === 1;
    await killAt(() => until(hangs), database, target);
    await until(async () => (await scratch.backends()).length === 0);
    expect(await inPostgres(scratch.url, readEverything)).toStrictEqual(empty);
    await scratch.sql.unsafe(`DROP TRIGGER hang ON animal_store.${table}`);
    const { status, stderr } = await copy(database, target);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^Copied to /m)]);
  },
);

test('a copy into a file that is killed halfway leaves nothing behind, and can be repeated', async () => {
  const { scratch, file } = here;
  await inPostgres(scratch.url, async (source) => {
    await importPets(source, Array(30_000).fill(rex()));
  });
  let bytes = 0;
  const forwarder = await startForwarder(scratch.server, {
    onBytes(_direction, chunk) {
      bytes += chunk.length;
      // No more bytes arrive, so the copy cannot finish before the kill.
      if (bytes > 500_000) forwarder.blackhole(true);
    },
  });
  const from = scratch.server.url(scratch.name, { port: forwarder.port });
  const to = file('copy.db');
  await killAt(() => until(async () => bytes > 500_000), from, to);
  await forwarder.close();
  expect(await inFile(to, readEverything)).toMatchObject({ pets: [], keys: [] });
  const { status, stderr } = await copy(scratch.url, to);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^Copied to /m)]);
  expect((await inFile(to, readEverything)).pets).toHaveLength(30_000);
});

const SHOP = `postgres://shop:${PASSWORD}`;
const NOWHERE = `${SHOP}@127.0.0.1:1/store`;
const ALLOWED = 'must be a path or a file: URL of a file on a local disk, or a URL such as';

test.each<[string, 1 | 2, readonly [from: string, to: string], string]>([
  ['both source and target', 2, ['a.db', 'a.db'], '--from and --to must be different databases.'],
  ['not a valid URL', 2, [`${SHOP}@host`, 'b.db'], '--from is not valid: it names no database'],
  ['of another kind', 2, ['a.db', `mysql://shop:${PASSWORD}@host/store`], `--to ${ALLOWED}`],
  ['with an unknown option', 2, ['a.db', `${NOWHERE}?pass=${PASSWORD}`], '--to is not valid: the '],
  ['with an undecodable password', 2, ['a.db', `${SHOP}%zz@host/a`], '--to is not valid: the '],
  ['with an @ in the password', 2, ['a.db', `${SHOP}@,x@127.0.0.1:1/a`], '--to is not valid: the '],
  ['a missing file', 1, ['none.db', 'b.db'], 'There is no database at none.db'],
  ['an unreachable source', 1, [NOWHERE, 'b.db'], 'The database cannot be reached'],
  ['an unreachable target', 1, ['a.db', NOWHERE], 'The database cannot be reached'],
])(
  'a database that is %s exits with status %i and one sentence, and creates nothing',
  (_what, expected, [from, to], sentence) =>
    inWorkplace(async ({ path, file, files }) => {
      await openSqlite(file('a.db')).close();
      const before = files();
      const run = await animalStore(['copy', '--from', from, '--to', to], { cwd: path });
      expect([run.status, run.stdout]).toEqual([expected, '']);
      expect(run.stderr).toMatch(ONE_SENTENCE);
      expect(run.stderr).toContain(sentence);
      expect(run.stderr).not.toContain(PASSWORD);
      expect(files()).toEqual(before);
    })(),
);

test('a PostgreSQL database without a catalogue is rejected as a source, and stays empty', async () => {
  const { target, scratch, file, has } = here;
  const { status, stderr } = await copy(target, file('b.db'));
  expect(status).toBe(1);
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toContain('There is no catalogue in this database');
  expect(has('b.db')).toBe(false);
  const schemas = await scratch.sql`SELECT FROM pg_namespace WHERE nspname = 'animal_store'`;
  expect(schemas.count).toBe(0);
});
