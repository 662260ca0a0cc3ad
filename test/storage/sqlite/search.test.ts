/** A search of many animals lets other requests run, and its index follows the animals. */
import type { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Database } from '../../../src/storage/database.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { NameIndex } from '../../../src/storage/sqlite/stores/name-index.ts';
import { Turns } from '../../../src/storage/sqlite/stores/turns.ts';
import { importPets } from '../../support/catalogue.ts';
import { ascending } from '../../support/list-query.ts';
import { openScratch, type Scratch } from './scratch.ts';

const ANIMALS = 5_000;

let scratch: Scratch;
let database: Database;
let foreign: Sqlite;
beforeEach(async () => {
  scratch = openScratch();
  database = openSqlite(scratch.path);
  foreign = scratch.foreign();
  await importPets(
    database,
    Array.from({ length: ANIMALS }, (_, index) => ({ name: `Animal ${index}`, categoryId: 1 })),
  );
});
afterEach(async () => {
  await database.close();
  scratch.remove();
});

const search = (name: string) => database.read.pets.list(ascending({ name }), undefined, 21);
const namesOf = async (name: string) => (await search(name)).map((pet) => pet.name);
const indexAll = () => database.names.indexNext(ANIMALS + 10);
const indexed = () =>
  (foreign.query('SELECT rowid AS id FROM pet_names').all() as { id: number }[]).length;

test('an indexed search, or a page that fills soon, is read at once', async () => {
  expect(search('animal')).toBeArrayOfSize(21);
  await indexAll();
  expect(search('animal')).toBeArrayOfSize(21);
  expect(search('nothing')).toEqual([]);
});

test('a search of many animals runs in several turns of the event loop', async () => {
  let isDone = false;
  const found = Promise.resolve(search('zz')).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(await found).toEqual([]);
  expect(turns).toBeGreaterThan(2);
});

test('a removal, a change and an addition during a search appear or not, and nothing else is lost', async () => {
  const found = search('4999');
  foreign.run("DELETE FROM pets WHERE name = 'Animal 17'");
  foreign.run("UPDATE pets SET name = 'Animal 18 of 4999' WHERE name = 'Animal 18'");
  expect((await found).map(({ name }) => name)).toContain('Animal 4999');
});

test('an animal that is not indexed is a candidate only if its name contains the text', () => {
  const candidates = new NameIndex(foreign).candidates('animal 17', 'id', 1, 100);
  expect(candidates).toEqual({ ids: [18], last: 100 });
});

describe('what any program does with animals is found at once', () => {
  beforeEach(indexAll);

  test('an addition', async () => {
    foreign.run("INSERT INTO pets (name, category_id) VALUES ('Ébène', 1)");
    expect(await namesOf('ebene')).toEqual(['Ébène']);
    expect(await database.names.unindexed()).toBe(1);
    await indexAll();
    expect(await namesOf('ebene')).toEqual(['Ébène']);
    expect([await database.names.unindexed(), indexed()]).toEqual([0, ANIMALS + 1]);
  });

  test('another name, also a second time', async () => {
    for (const name of ['First', 'Second']) {
      foreign.run('UPDATE pets SET name = ? WHERE id = 7', [name]);
      expect(await namesOf(name)).toEqual([name]);
    }
    expect([await namesOf('first'), await database.names.unindexed()]).toEqual([[], 1]);
    await indexAll();
    expect(await namesOf('second')).toEqual(['Second']);
    expect(indexed()).toBe(ANIMALS);
  });

  test('a replacement, which runs no trigger for the removal', async () => {
    foreign.run("REPLACE INTO pets (id, name, category_id) VALUES (7, 'Ébène', 1)");
    expect(await namesOf('ebene')).toEqual(['Ébène']);
    await indexAll();
    expect([await namesOf('ebene'), await namesOf('animal 6')]).toEqual([
      ['Ébène'],
      Array.from({ length: 21 }, (_, index) => `Animal ${index < 10 ? 60 + index : 590 + index}`),
    ]);
    expect([await database.names.unindexed(), indexed()]).toEqual([0, ANIMALS]);
  });

  test('another status lists nothing for the index', async () => {
    foreign.run("UPDATE pets SET status = 'sold', name = name WHERE id = 7");
    expect(await database.names.unindexed()).toBe(0);
  });

  test('a removal, indexed or not', async () => {
    foreign.run('DELETE FROM pets WHERE id = 7');
    foreign.run("INSERT INTO pets (name, category_id) VALUES ('Rex', 1)");
    foreign.run("DELETE FROM pets WHERE name = 'Rex'");
    expect([await database.names.unindexed(), indexed()]).toEqual([0, ANIMALS - 1]);
  });
});

test('searches take turns in their order, one in each turn of the event loop', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const turnsOfTheLoop = new Set<number>();
  let turn = 0;
  const count = () => {
    turn += 1;
    if (order.length < 6) setImmediate(count);
  };
  setImmediate(count);
  const call = async (name: string, times: number) => {
    for (let time = 0; time < times; time += 1) {
      await turns.next();
      order.push(name);
      turnsOfTheLoop.add(turn);
    }
  };
  await Promise.all([call('a', 3), call('b', 1), call('c', 2)]);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
  expect(turnsOfTheLoop.size).toBe(6);
});
