/** Folded names follow the animals, whatever program changes them, and a search finds all at any time. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { foldText } from '../../../src/fold-text.ts';
import type { Database } from '../../../src/storage/database.ts';
import { importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ENGINES } from '../../support/engines.ts';
import { ascending } from '../../support/list-query.ts';
import { rex } from '../animals.ts';
import { copy } from '../copying.ts';
import { failureOf, gate, openScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.remove());

const namesOf = async ({ read }: Database, name: string) =>
  (await read.pets.list(ascending({ name }), undefined, 101)).map((pet) => pet.name);

/** The folded names by id, as stored. */
const folded = async (): Promise<(string | null)[]> =>
  (await scratch.sql`SELECT folded_name AS name FROM animal_store.pets ORDER BY id`).map(
    ({ name }) => name,
  );

async function indexAll(database: Database): Promise<void> {
  while ((await database.names.unindexed()) > 0) await database.names.indexNext(100);
}

describe('an addition stores the folded name', () => {
  test('alone, in a batch, in a transaction, and in an import with ids or without', async () => {
    const database = await scratch.open();
    await database.blind(BY_TEST).pets.create(rex({ name: 'Ägir' }));
    await Promise.all(
      ['Zoë', 'ΑΣ'].map(async (name) => database.blind(BY_TEST).pets.create(rex({ name }))),
    );
    await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'ﬁDO' })));
    await importPets(database, [rex({ name: 'Ё' })]);
    await importPets(database, [{ ...rex({ name: 'ÀB' }), id: 60 }]);
    expect(await folded()).toEqual(['agir', 'zoe', 'ασ', 'fido', 'е', 'ab']);
    expect(await database.names.unindexed()).toBe(0);
  });

  test.each(ENGINES)('in a copy from $name', async (engine) => {
    const source = await engine.open();
    try {
      await importPets(source.database, [rex({ name: 'Ägir' }), rex({ name: 'Zoë' })]);
      await copy(source, await scratch.open());
      expect(await folded()).toEqual(['agir', 'zoe']);
    } finally {
      await source.remove();
    }
  });
});

describe('a change by any program', () => {
  let database: Database;
  beforeEach(async () => {
    database = await scratch.open();
    await importPets(database, [rex({ name: 'Ägir' }), rex({ name: 'Zoë' })]);
  });

  test.each([
    "UPDATE animal_store.pets SET name = 'Rêx' WHERE id = 1",
    "UPDATE animal_store.pets SET name = 'Rêx', folded_name = folded_name WHERE id = 1",
    `INSERT INTO animal_store.pets (id, name, category_id) VALUES (1, 'Rêx', 1)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
    `MERGE INTO animal_store.pets USING (VALUES (1)) AS v (id) ON pets.id = v.id
      WHEN MATCHED THEN UPDATE SET name = 'Rêx'`,
    `SET session_replication_role = replica; UPDATE animal_store.pets SET name = 'Rêx' WHERE id = 1;
      RESET session_replication_role`,
    `CREATE FUNCTION public.prefix() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := 'Rêx'; RETURN NEW; END $$;
      CREATE TRIGGER a_prefix BEFORE UPDATE ON animal_store.pets FOR EACH ROW EXECUTE FUNCTION public.prefix();
      UPDATE animal_store.pets SET status = 'sold' WHERE id = 1`,
    `DELETE FROM animal_store.pets WHERE id = 1;
      INSERT INTO animal_store.pets (id, name, category_id) VALUES (1, 'Rêx', 1)`,
  ])('makes the new name known at once: %s', async (statement) => {
    await scratch.sql.unsafe(statement);
    expect(await folded()).toEqual([null, 'zoe']);
    expect([await namesOf(database, 'rex'), await namesOf(database, 'agir')]).toEqual([
      ['Rêx'],
      [],
    ]);
    expect(await database.names.unindexed()).toBe(1);
    await indexAll(database);
    expect(await folded()).toEqual(['rex', 'zoe']);
    expect(await namesOf(database, 'rex')).toEqual(['Rêx']);
  });

  test.each([
    "UPDATE animal_store.pets SET status = 'sold', name = name",
    'UPDATE animal_store.pets SET category_id = 7',
  ])('keeps the folded name if the name stays the same: %s', async (statement) => {
    await scratch.sql.unsafe(statement);
    expect(await folded()).toEqual(['agir', 'zoe']);
  });

  test('keeps the folded name that it brings', async () => {
    await scratch.sql`UPDATE animal_store.pets SET name = 'REX', folded_name = 'rex' WHERE id = 1`;
    expect(await folded()).toEqual(['rex', 'zoe']);
  });

  test('is a change of the service, too', async () => {
    await database.write(BY_TEST, ({ pets }) => pets.replace({ id: 2, ...rex({ name: 'Rêx' }) }));
    expect(await namesOf(database, 'REX')).toEqual(['Rêx']);
  });
});

test('characters that LIKE knows have no meaning, whether names are folded or not', async () => {
  const names = ['100% Rex', '100x Rex', 'a_bc', 'axbc', 'a\\bc', 'a\\_bc', "o'neil", '100%% Rex'];
  const database = await scratch.open();
  const inserted = names.map((name) => ({ name, category_id: 1 }));
  await scratch.sql`INSERT INTO animal_store.pets ${scratch.sql(inserted)}`;
  const terms = ['%', '_', '\\', '0% r', '%r', 'a_b', 'a\\b', 'a\\_', '\\_bc', "'", '%%', '_bc'];
  const expected = terms.map((term) => names.filter((name) => name.toLowerCase().includes(term)));
  const searchAll = () => Promise.all(terms.map((term) => namesOf(database, term)));
  expect(await searchAll()).toEqual(expected);
  await indexAll(database);
  expect(await searchAll()).toEqual(expected);
});

test('a search waits no longer than any other read', async () => {
  const database = await scratch.open({ timeoutMs: 500 });
  await scratch.sql.begin(async (sql) => {
    await sql`LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE`;
    expect((await failureOf(namesOf(database, 'rex'))).failure).toBe('unavailable');
  });
});

describe('folding the names that are not folded', () => {
  const insert = (count: number) =>
    scratch.sql`INSERT INTO animal_store.pets (name, category_id)
      SELECT 'Ä' || number, 1 FROM generate_series(1, ${count}::int) AS number`;

  test('does not wait for an animal that another transaction changes, and does not overwrite its name', async () => {
    const database = await scratch.open();
    await insert(3);
    const renamed = gate();
    const { opened, open } = gate();
    const renaming = scratch.sql.begin(async (sql) => {
      await sql`UPDATE animal_store.pets SET name = 'Rêx' WHERE id = 2`;
      renamed.open();
      await opened;
    });
    await renamed.opened;
    expect(await database.names.indexNext(10)).toBe(2);
    expect(await database.names.indexNext(10)).toBe(0);
    open();
    await renaming;
    expect(await folded()).toEqual(['a1', null, 'a3']);
    expect(await database.names.indexNext(10)).toBe(1);
    expect(await folded()).toEqual(['a1', 'rex', 'a3']);
  });

  test('by two instances while names change ends with the fold of each name', async () => {
    const instances = await Promise.all([scratch.open(), scratch.open()]);
    await insert(1_000);
    let isOver = false;
    const rename = async (offset: number) => {
      for (let step = 0; !isOver; step += 1) {
        const id = 1 + ((step * 7 + offset) % 1_000);
        await scratch.sql`UPDATE animal_store.pets SET name = ${`Ö${offset}${step}`} WHERE id = ${id}`;
      }
    };
    const renaming = [rename(0), rename(500)];
    const fold = async ({ names }: Database) => {
      for (let round = 0; round < 60; round += 1) await names.indexNext(37);
    };
    await Promise.all(instances.map(fold));
    isOver = true;
    await Promise.all(renaming);
    for (const instance of instances) await indexAll(instance);
    const rows = await scratch.sql`SELECT name, folded_name AS folded FROM animal_store.pets`;
    expect(rows.filter(({ name, folded }) => foldText(name) !== folded)).toEqual([]);
  });

  test('finds the names again that were changed behind it', async () => {
    const database = await scratch.open();
    await insert(30);
    expect(await database.names.indexNext(10)).toBe(10);
    await scratch.sql`UPDATE animal_store.pets SET name = 'Rêx' WHERE id = 3`;
    expect(await database.names.unindexed()).toBe(21);
    const { names } = database;
    expect([await names.indexNext(20), await names.indexNext(20)]).toEqual([20, 1]);
    expect((await folded())[2]).toBe('rex');
  });
});
