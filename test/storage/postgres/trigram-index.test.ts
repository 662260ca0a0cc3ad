/** The index of trigrams needs an extension, and letters of the database. Searches need neither. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Database } from '../../../src/storage/database.ts';
import { maintainPostgres } from '../../../src/storage/postgres/maintenance/maintenance.ts';
import { importPets } from '../../support/catalogue.ts';
import { ascending } from '../../support/list-query.ts';
import { rex } from '../animals.ts';
import { openScratch, type Scratch } from './scratch.ts';

const OPTIONS = { prepared: true, tlsFiles: {}, timeoutMs: 5_000 };
const NO_EXTENSION = 'the extension pg_trgm is not installed';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.remove());

const namesOf = async ({ read }: Database, name: string) =>
  (await read.pets.list(ascending({ name }), undefined, 101)).map((pet) => pet.name);

/** The definition of the index, without its schema's name; undefined if it is missing. */
async function definition(): Promise<string | undefined> {
  const [row] =
    await scratch.sql`SELECT pg_get_indexdef(to_regclass('animal_store.pets_by_trigrams')) AS text`;
  return row?.['text'] ?? undefined;
}

const maintenance = () => maintainPostgres(scratch.url, OPTIONS);
const messages = async () => (await maintenance().check()).faults.map(({ message }) => message);

describe('the extension', () => {
  test('is created where other programs look for it, by a role that may create schemas only', async () => {
    const role = await scratch.createRole();
    await scratch.sql.unsafe(`GRANT CREATE ON DATABASE ${scratch.name} TO ${role}`);
    await scratch.open({}, scratch.roleUrl(role));
    const [extension] =
      await scratch.sql`SELECT extnamespace::regnamespace::text AS schema FROM pg_extension WHERE extname = 'pg_trgm'`;
    expect(extension?.['schema']).toBe('public');
    expect(await definition()).toContain('gin_trgm_ops');
  });

  test('is used in any schema', async () => {
    await scratch.sql`CREATE SCHEMA "Odd name"`;
    await scratch.sql`CREATE EXTENSION pg_trgm SCHEMA "Odd name"`;
    const database = await scratch.open();
    expect(await definition()).toContain('(folded_name "Odd name".gin_trgm_ops)');
    await importPets(database, [rex({ name: 'Ägir' })]);
    expect(await namesOf(database, 'agi')).toEqual(['Ägir']);
  });

  test('in a schema that a role may not use serves it, and cannot be asked for its letters', async () => {
    await scratch.sql`CREATE SCHEMA hidden`;
    await scratch.sql`CREATE EXTENSION pg_trgm SCHEMA hidden`;
    await scratch.open();
    const role = await scratch.createRole();
    await scratch.sql.unsafe(
      `GRANT USAGE ON SCHEMA animal_store TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA animal_store TO ${role};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA animal_store TO ${role}`,
    );
    const database = await scratch.open({}, scratch.roleUrl(role));
    await importPets(database, [rex({ name: 'Ägir' })]);
    expect(await database.names.obstacle()).toBeUndefined();
    expect(await namesOf(database, 'agi')).toEqual(['Ägir']);
  });

  test('in our schema is no object of another program', async () => {
    await scratch.sql`CREATE SCHEMA animal_store`;
    await scratch.sql`CREATE EXTENSION pg_trgm SCHEMA animal_store`;
    await scratch.open();
    expect(await maintenance().check()).toEqual({ faults: [], warnings: [] });
  });

  test('that a role cannot create is not needed, and check says so', async () => {
    const role = await scratch.createRole();
    await scratch.sql.unsafe(
      `DROP SCHEMA public; GRANT CREATE ON DATABASE ${scratch.name} TO ${role}`,
    );
    const database = await scratch.open({}, scratch.roleUrl(role));
    expect(await database.names.obstacle()).toBe(NO_EXTENSION);
    await importPets(database, [rex({ name: 'Ägir' }), rex({ name: 'Rex' })]);
    await scratch.sql`UPDATE animal_store.pets SET name = 'Ägirsson' WHERE id = 1`;
    expect([await namesOf(database, 'agi'), await namesOf(database, 're')]).toEqual([
      ['Ägirsson'],
      ['Rex'],
    ]);
    expect(await maintenance().check()).toEqual({
      faults: [],
      warnings: [`Searches by name look at all animals: ${NO_EXTENSION}.`],
    });
    await maintenance().rebuildNames();
    expect(await definition()).toBeUndefined();
  });

  test('that comes later gets its index by a repair', async () => {
    const migrated = await openScratch();
    await migrated.open();
    const [created] =
      await migrated.sql`SELECT pg_get_indexdef('animal_store.pets_by_trigrams'::regclass) AS text`;
    await migrated.remove();
    await scratch.sql`DROP SCHEMA public`;
    const database = await scratch.open();
    await scratch.sql`CREATE SCHEMA public`;
    await scratch.sql`CREATE EXTENSION pg_trgm SCHEMA public`;
    expect(await messages()).toEqual(['the index pets_by_trigrams is missing']);
    expect(await database.names.obstacle()).toBe('the index pets_by_trigrams is missing');
    await maintenance().rebuildNames();
    expect(await messages()).toEqual([]);
    expect(await definition()).toBe(created?.['text']);
  });
});

test('a repair replaces the invalid index of an interrupted one', async () => {
  await scratch.open();
  await scratch.sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'animal_store.pets_by_trigrams'::regclass`;
  expect(await messages()).toEqual(['the index pets_by_trigrams is invalid']);
  await maintenance().rebuildNames();
  expect(await messages()).toEqual([]);
});

test('check finds folded names that are wrong, and a repair folds them again', async () => {
  const database = await scratch.open();
  // More than one batch of a check.
  const names = ['Ägir', 'Rex', 'Zoë', ...new Array<string>(1_000).fill('Mia')];
  await importPets(
    database,
    names.map((name) => rex({ name })),
  );
  await scratch.sql`UPDATE animal_store.pets SET folded_name = 'x' WHERE id = 1`;
  expect(await messages()).toEqual([
    'the index of names has another name for 1 animal (the first is 1)',
  ]);
  await scratch.sql`UPDATE animal_store.pets SET folded_name = '' WHERE id = 3`;
  expect(await messages()).toEqual([
    'the index of names has another name for 2 animals (the first is 1)',
  ]);
  expect(await namesOf(database, 'agir')).toEqual([]);
  await maintenance().rebuildNames();
  expect(await messages()).toEqual([]);
  expect(await namesOf(database, 'agir')).toEqual(['Ägir']);
  expect(await database.names.unindexed()).toBe(2);
  expect((await maintenance().status(0)).contents).toMatchObject({ unindexedAnimals: 2 });
});

describe('the letters of the database', () => {
  const inLocale = async (locale: string) => {
    const { server } = scratch;
    const name = `${scratch.name}_${locale.replaceAll(/\W/g, '').toLowerCase()}`;
    await server.sql.unsafe(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE '${locale}'`,
    );
    const database = await scratch.open({}, server.url(name));
    return {
      database,
      async remove() {
        await database.close();
        await server.dropDatabase(name);
      },
    };
  };

  test.each([
    [
      'C',
      'the database has the LC_CTYPE C, which has no letters of these scripts: ' +
        'Latin beyond ASCII, Greek, Cyrillic, Hebrew, Arabic, Thai, Devanagari, Hangul, Han, Kana',
    ],
    ['C.UTF-8', undefined],
  ])(
    '%s decide which scripts the index serves, and not what is found',
    async (locale, obstacle) => {
      const { database, remove } = await inLocale(locale);
      try {
        expect(await database.names.obstacle()).toBe(obstacle);
        const names = ['Барсик', 'Кот Барс', 'Мурка', '강아지', '犬小屋'];
        await importPets(
          database,
          names.map((name) => rex({ name })),
        );
        for (const term of ['барс', 'КОТ', 'урк', '강아', '小屋'])
          expect(await namesOf(database, term)).toEqual(
            names.filter((name) => name.toLowerCase().includes(term.toLowerCase())),
          );
      } finally {
        await remove();
      }
    },
  );
});
