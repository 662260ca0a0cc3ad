import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../src/storage/database.ts';
import { copyCatalogue } from '../../../src/transfer/catalogue-copy.ts';
import { importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { useEach, useShared } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { copyFrom } from '../copying.ts';
import { fillCatalogue, readEverything } from '../full-catalogue.ts';
import { newKey } from '../new-key.ts';
import { failureOf, openMigratedScratch, openScratch, useScratch } from './scratch.ts';

async function copy(from: Database, to: Database) {
  await from.close();
  const snapshot = await from.transfer.openSource();
  return copyFrom(snapshot, to).finally(() => snapshot.close());
}

describe('a copy', () => {
  const [scratch, source] = [useScratch(), useScratch()];

  test('is made once by two simultaneous copies', async () => {
    const [from, to] = [await source.open(), await scratch.open()];
    await fillCatalogue(from);
    const all = await readEverything(from);
    await using same = await openMigratedScratch();
    const second = await same.open();
    await copy(from, second);
    const copies = await Promise.all([copy(from, to), copy(second, to)]);
    expect(copies.map(({ isNew }) => isNew).toSorted()).toEqual([false, true]);
    expect(await readEverything(to)).toStrictEqual(all);
  });

  test('blocks the creation of a first key, which then is not created', async () => {
    const [from, to] = [await source.open(), await scratch.open()];
    await fillCatalogue(from);
    const writer = await to.transfer.openWriter();
    const created = to.write(BY_TEST, ({ apiKeys }) => apiKeys.createFirst(newKey('k')));
    await until(async () => (await scratch.backends('Lock')).length === 1);
    await from.close();
    const snapshot = await from.transfer.openSource();
    await copyCatalogue(snapshot, writer, () => {});
    expect(await created).toBeUndefined();
    await Promise.all([writer.close(), snapshot.close()]);
  });
});

describe('a transfer of animals', () => {
  const scratch = useScratch();

  test('uses up none of the ids that it wanted to keep if it fails', async () => {
    const database = await scratch.open();
    const importKept = async () => {
      const imports = await database.transfer.beginImport(() => BY_TEST);
      const refused = await imports.add([7, 9].map((id) => ({ ...rex(), id })));
      expect([...refused]).toEqual([]);
      return imports.commit();
    };
    // As for a role without the right to add events.
    await scratch.sql`ALTER TABLE animal_store.outbox ADD CONSTRAINT none CHECK (false)`;
    await expect(importKept()).rejects.toThrow('violates check constraint');
    await scratch.sql`ALTER TABLE animal_store.outbox DROP CONSTRAINT none`;
    expect(await importKept()).toBe(2);
    const { id } = await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect(id).toBe(10);
  });

  test('succeeds if the connection is lost after its commit', async () => {
    const { forwarder, database } = await scratch.openThrough();
    const imports = await database.transfer.beginImport(() => BY_TEST);
    await imports.add([rex()]);
    const cut = forwarder.cutWhen('ANALYZE');
    expect(await imports.commit()).toBe(1);
    await cut;
  });

  test('leaves no connection after an aborted export, or a copy of its beginning', async () => {
    const database = await scratch.open();
    await importPets(database, Array(2_500).fill(rex()));
    for await (const _batch of database.transfer.exportPets()) break;
    await database.close();
    const source = await database.transfer.openSource();
    await scratch.sql`INSERT INTO animal_store.categories VALUES (1, 'Dogs')`;
    expect(await source.count('categories')).toBe(0);
    // With the event of the import, which has no position yet.
    for await (const rows of source.rows('highest_ids')) expect(rows).toContainEqual(['events', 1]);
    await source.close();
    await until(async () => (await scratch.backends()).length === 0);
  });
});

describe.each([
  ['prepared', true],
  ['not prepared', false],
])('with statements that are %s, a role with short timeouts', (_how, prepared) => {
  const scratch = useEach(openScratch);
  let role: string;
  beforeEach(async () => {
    role = await scratch.createRole();
    await scratch.sql`GRANT CREATE, TEMPORARY ON DATABASE ${scratch.sql(scratch.name)} TO ${scratch.sql(role)}`;
    await scratch.sql`ALTER ROLE ${scratch.sql(role)} SET statement_timeout = '200ms'`;
    await scratch.sql`ALTER ROLE ${scratch.sql(role)} SET idle_in_transaction_session_timeout = '200ms'`;
  });

  test('creates the tables, although it waits longer for another instance', async () => {
    await scratch.sql`CREATE SCHEMA animal_store AUTHORIZATION ${scratch.sql(role)}`;
    const release = await scratch.hold(
      'CREATE TABLE animal_store.schema_version (only_row boolean)',
    );
    const opened = scratch.open({ prepared }, scratch.roleUrl(role));
    await until(async () => (await scratch.backends('Lock')).length === 1);
    await sleep(300);
    await release('ROLLBACK');
    await opened;
  });

  test('imports and exports animals, although it takes longer', async () => {
    const database = await scratch.open({ prepared }, scratch.roleUrl(role));
    await scratch.sql.unsafe(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE TRIGGER wait AFTER INSERT ON animal_store.pets EXECUTE FUNCTION wait()`);
    const imports = await database.transfer.beginImport(() => BY_TEST);
    await imports.add(Array(1_500).fill(rex()));
    await sleep(300);
    expect(await imports.commit()).toBe(1_500);
    let exported = 0;
    for await (const batch of database.transfer.exportPets()) {
      await sleep(300);
      exported += batch.length;
    }
    expect(exported).toBe(1_500);
  });
});

describe('a role without the right leaves no connection when it begins', () => {
  const scratch = useShared(openMigratedScratch);
  let role: string;
  beforeAll(async () => {
    role = await scratch.createRole();
    const [name, catalogue] = [scratch.sql(role), scratch.sql(scratch.name)];
    await scratch.sql`REVOKE TEMPORARY ON DATABASE ${catalogue} FROM public`;
    await scratch.sql`GRANT USAGE ON SCHEMA animal_store TO ${name}`;
    await scratch.sql`GRANT SELECT ON ALL TABLES IN SCHEMA animal_store TO ${name}`;
  });

  test.each<[string, (database: Database) => unknown, string]>([
    ['an import', ({ transfer }) => transfer.beginImport(() => BY_TEST), 'permission denied'],
    ['a copy into it', ({ transfer }) => transfer.openWriter(), 'does not own the tables'],
  ])('%s', async (_what, begin, sentence) => {
    const database = await scratch.open({}, scratch.roleUrl(role));
    const { failure, message } = await failureOf(Promise.resolve(begin(database)));
    expect(failure).toBe('refused');
    expect(message).toContain(sentence);
    await database.close();
    await until(async () => (await scratch.backends()).length === 0);
  });
});
