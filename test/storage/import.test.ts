import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { IdTaken, type ImportedPet } from '../../src/transfer/catalogue-transfer.ts';
import { autocommit } from '../support/autocommit.ts';
import { countPets, exportPets, importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { anyNewPet, readAll, rex } from './animals.ts';

const namesIn = async (database: Database) => (await readAll(database)).map(({ name }) => name);

describe.each(ENGINES)('$name imports animals', ({ open }) => {
  let storage: TestStorage;
  const begin = async () => storage.database.transfer.beginImport();
  /** An import that holds these animals, all of them taken. */
  const beginWith = async (...pets: readonly ImportedPet[]) => {
    const transfer = await begin();
    expect((await transfer.add(pets)).size).toBe(0);
    return transfer;
  };
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.remove());

  test('in the order of the file, equal to what it says, under new ids, in whatever batches', async () => {
    const batches = fc.array(fc.array(anyNewPet, { maxLength: 30 }), { maxLength: 4 });
    const property = fc.asyncProperty(batches, async (all) => {
      const { database, remove } = await open();
      try {
        const { id } = await autocommit(database).pets.create(rex());
        const transfer = await database.transfer.beginImport();
        for (const pets of all) expect([...(await transfer.add(pets))]).toEqual([]);
        const pets = all.flat();
        expect(await transfer.commit()).toBe(pets.length);
        const [first, ...imported] = await readAll(database);
        expect(first?.id).toBe(id);
        expect(imported).toStrictEqual(
          pets.map((pet, index) => ({ id: (imported[index] as Pet).id, ...pet })),
        );
      } finally {
        await remove();
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test('none of them before commit, all of them after', async () => {
    const transfer = await beginWith(rex({ name: 'one' }));
    await transfer.add([rex({ name: 'two' })]);
    expect(await namesIn(storage.database)).toEqual([]);
    expect(await countPets(storage.database)).toBe(0);
    expect(await exportPets(storage.database)).toEqual([]);
    expect(await transfer.commit()).toBe(2);
    expect(await namesIn(storage.database)).toEqual(['one', 'two']);
    expect(await countPets(storage.database)).toBe(2);
  });

  test('none of them when it is abandoned, once or twice', async () => {
    const transfer = await beginWith(rex());
    await transfer.abandon();
    await transfer.abandon();
    expect(await namesIn(await storage.reopen())).toEqual([]);
  });

  test('abandoning after commit takes nothing back', async () => {
    const transfer = await beginWith(rex());
    await transfer.commit();
    await transfer.abandon();
    expect(await namesIn(storage.database)).toEqual(['Rex']);
  });

  test('without a row: nothing happens', async () => {
    expect(await (await begin()).commit()).toBe(0);
    expect(await (await beginWith()).commit()).toBe(0);
    expect(await namesIn(storage.database)).toEqual([]);
  });

  test('while it is under way others add animals', async () => {
    const transfer = await beginWith(rex({ name: 'from the file' }));
    await autocommit(storage.database).pets.create(rex({ name: 'meanwhile' }));
    await transfer.add([rex({ name: 'from the file, too' })]);
    await transfer.commit();
    expect(await namesIn(storage.database)).toEqual([
      'meanwhile',
      'from the file',
      'from the file, too',
    ]);
  });

  test('two imports at the same moment both add all of theirs, each in its order', async () => {
    const rows = ['a', 'b'].map((file) => Array.from({ length: 50 }, (_, row) => `${file}${row}`));
    const counts = rows.map((names) =>
      importPets(
        storage.database,
        names.map((name) => rex({ name })),
      ),
    );
    expect(await Promise.all(counts)).toEqual([50, 50]);
    const names = await namesIn(storage.database);
    for (const file of rows) expect(names.filter((name) => file.includes(name))).toEqual(file);
    expect(names).toHaveLength(100);
  });

  test('2500 rows come back whole', async () => {
    const pets = Array.from({ length: 2_500 }, (_, row) => rex({ categoryId: row }));
    expect(await importPets(storage.database, pets)).toBe(2_500);
    const categories = (await readAll(storage.database)).map(({ categoryId }) => categoryId);
    expect(categories).toEqual(Array.from({ length: 2_500 }, (_, row) => row));
  });

  describe('under ids of the file', () => {
    const kept = (...ids: readonly Pet['id'][]) =>
      ids.map((id) => ({ id, ...rex({ name: `${id}` }) }));

    test.each([0, -1, -(2n ** 63n)])('never %p: ids are above zero', async (id) => {
      const transfer = await begin();
      expect([...(await transfer.add(kept(id)))]).toEqual([
        [0, `the id ${id} may have been assigned before: only ids above 0 can be kept`],
      ]);
      await transfer.abandon();
    });

    test('never one that was assigned, nor one below it, also when its animal is gone', async () => {
      await importPets(storage.database, kept(9, 10));
      await storage.database.write(({ pets }) => pets.remove(10));
      const transfer = await begin();
      const refused = await transfer.add(kept(1, 9, 10, 11));
      expect([...refused.keys()]).toEqual([0, 1, 2]);
      expect(refused.get(2)).toBe(
        'the id 10 may have been assigned before: only ids above 10 can be kept',
      );
      expect(await transfer.commit()).toBe(1);
      expect(await namesIn(storage.database)).toEqual(['9', '11']);
    });

    test('never twice the same, however large: a refused row leaves the others whole', async () => {
      const [one, next] = [2n ** 60n, 2n ** 60n + 1n];
      const transfer = await begin();
      const refused = await transfer.add(kept(one, one, next));
      expect([...refused]).toEqual([[1, `the id ${one} occurs twice in the file`]]);
      expect([...(await transfer.add(kept(next)))]).toEqual([
        [0, `the id ${next} occurs twice in the file`],
      ]);
      expect(await transfer.commit()).toBe(2);
      expect(await namesIn(storage.database)).toEqual([`${one}`, `${next}`]);
    });

    test('each row that is refused is told by its place in its batch, and why', async () => {
      await importPets(storage.database, kept(10));
      const transfer = await begin();
      const assigned = (id: number) =>
        `the id ${id} may have been assigned before: only ids above 10 can be kept`;
      const twice = (id: number) => `the id ${id} occurs twice in the file`;
      const first = await transfer.add(kept(5, 12, 12, 13, 10, 12));
      expect([...first].sort()).toEqual([
        [0, assigned(5)],
        [2, twice(12)],
        [4, assigned(10)],
        [5, twice(12)],
      ]);
      const second = await transfer.add(kept(14, 13, 11));
      expect([...second]).toEqual([[1, twice(13)]]);
      expect(await transfer.commit()).toBe(4);
      expect(await namesIn(storage.database)).toEqual(['10', '11', '12', '13', '14']);
    });

    test('in whatever order the file names them', async () => {
      expect(await importPets(storage.database, kept(7, 3, 5))).toBe(3);
      expect(await namesIn(storage.database)).toEqual(['3', '5', '7']);
    });

    test('none at all when an animal was added meanwhile', async () => {
      const transfer = await beginWith(...kept(100));
      await autocommit(storage.database).pets.create(rex({ name: 'meanwhile' }));
      await expect(transfer.commit()).rejects.toThrow(IdTaken);
      await autocommit(storage.database).pets.create(rex({ name: 'later' }));
      expect(await namesIn(storage.database)).toEqual(['meanwhile', 'later']);
    });
  });
});
