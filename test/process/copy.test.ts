import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { rex } from '../storage/animals.ts';
import { fillCatalogue } from '../storage/full-catalogue.ts';
import { openMigratedScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { importPets } from '../support/catalogue.ts';
import { startForwarder } from '../support/forwarder.ts';
import { animalStore, type Outcome, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { spawnAnimalStore } from './children.ts';
import { expectRefused } from './maintained.ts';
import { everythingIn } from './transfer.ts';

const PASSWORD = 'sw0rdf1sh';

/** Copied for each test. */
const filled = workplace();
beforeAll(async () => {
  const database = openSqlite(filled.database);
  await fillCatalogue(database);
  await database.close();
});
afterAll(() => filled.remove());

/** A file with rows of every kind, and a PostgreSQL database with empty tables and its URL, which has a password. */
const here = useEach(async () => {
  const place = workplace();
  copyFileSync(filled.database, place.database);
  const scratch = await openMigratedScratch();
  const target = scratch.url.replace('postgres@', `postgres:${PASSWORD}@`);
  return { ...place, scratch, target, remove: () => scratch.remove().then(place.remove) };
});

async function addPets(scratch: Scratch, count: number): Promise<void> {
  const database = await scratch.open();
  await importPets(database, Array(count).fill(rex()));
  await database.close();
}

/** Runs `copy`, and checks that it prints no password. */
async function copy(from: string, to: string, ...flags: readonly string[]): Promise<Outcome> {
  const outcome = await animalStore(['copy', '--from', from, '--to', to, ...flags]);
  expect(outcome.stdout + outcome.stderr).not.toContain(PASSWORD);
  // Without the progress, which only a slow machine shows.
  return { ...outcome, stderr: outcome.stderr.replace(/^(?:\d+ %, .*\n)+/, '') };
}

const DISABLED =
  'Webhook endpoints are disabled: 1. The other database may still send to them. Enable those that this one is to send to.\n';

test('a catalogue is copied from a file to PostgreSQL, not a second time, and back without a difference', async () => {
  const { database, target, scratch, file } = here;
  await scratch.sql`DROP SCHEMA animal_store CASCADE`;
  const all = await everythingIn(database);
  const first = await copy(database, target);
  const address = scratch.url;
  const copied = `Copied to ${address}, read back and compared.\n${DISABLED}`;
  expect([first.status, first.stderr]).toEqual([0, copied]);
  expect(first.stdout).toMatch(/^PART +ROWS +SHA-256\ncategories +13 +[0-9a-f]{64}\npets +39 /);
  const second = await copy(database, target);
  const unchanged = `${address} already contains the same catalogue. Nothing was changed.\n`;
  expect(second).toEqual({ status: 0, stdout: first.stdout, stderr: unchanged });
  const back = await copy(target, file('back.db'), '--json');
  expect(JSON.parse(back.stdout)).toMatchObject({ isNew: true, parts: { pets: { rows: 39 } } });
  expect(await everythingIn(file('back.db'))).toStrictEqual(all);
});

test('a target with another catalogue is rejected unchanged', async () => {
  const { database, target, scratch } = here;
  await addPets(scratch, 1);
  expect(await copy(database, target)).toEqual({
    status: 1,
    stdout: '',
    stderr: `animal-store: ${scratch.url} already contains another catalogue. Nothing was copied.\n`,
  });
  expect(await everythingIn(scratch.url)).toMatchObject({
    pets: [{ id: 1, ...rex() }],
    keys: [],
  });
});

test('a target that returns other rows than were written fails the copy with one sentence, and stays empty', async () => {
  const { database, target, scratch } = here;
  const empty = await everythingIn(scratch.url);
  await scratch.sql.unsafe(`CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.name := NEW.name || ' '; RETURN NEW; END $$;
      CREATE TRIGGER change BEFORE INSERT ON animal_store.pets FOR EACH ROW
      WHEN (NEW.id = 7) EXECUTE FUNCTION change()`);
  expectRefused(await copy(database, target), ' differ from the rows written');
  expect(await everythingIn(scratch.url)).toStrictEqual(empty);
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
    const empty = await everythingIn(scratch.url);
    await scratch.sql.unsafe(`CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
        ${create} hang ${moment} ON animal_store.${table} ${deferred}
        FOR EACH ROW EXECUTE FUNCTION hang();
        ALTER DATABASE ${scratch.name} SET client_connection_check_interval = '10ms'`);
    const hangs = async () => (await scratch.backends('Timeout')).length === 1;
    await killAt(() => until(hangs), database, target);
    await until(async () => (await scratch.backends()).length === 0);
    expect(await everythingIn(scratch.url)).toStrictEqual(empty);
    await scratch.sql.unsafe(`DROP TRIGGER hang ON animal_store.${table}`);
    const { status, stderr } = await copy(database, target);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^Copied to /m)]);
  },
);

/** A part of the bytes of 3,000 animals. */
const HALFWAY = 60_000;

test('a copy into a file that is killed halfway leaves nothing behind, and can be repeated', async () => {
  const { scratch, file } = here;
  await addPets(scratch, 3_000);
  let bytes = 0;
  const forwarder = await startForwarder(scratch.server, {
    onBytes(_direction, chunk) {
      bytes += chunk.length;
      // No more bytes arrive, so the copy cannot finish before the kill.
      if (bytes > HALFWAY) forwarder.blackhole(true);
    },
  });
  const from = scratch.server.url(scratch.name, { port: forwarder.port });
  const to = file('copy.db');
  await killAt(() => until(async () => bytes > HALFWAY), from, to);
  await forwarder.close();
  await until(async () => (await scratch.backends()).length === 0);
  expect(await everythingIn(to)).toMatchObject({ pets: [], keys: [] });
  const { status, stderr } = await copy(scratch.url, to);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^Copied to /m)]);
  expect((await everythingIn(to)).pets).toHaveLength(3_000);
});
