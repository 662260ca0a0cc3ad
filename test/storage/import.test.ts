import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { IdTaken } from '../../src/transfer/catalogue-transfer.ts';
import { autocommit } from '../support/autocommit.ts';
import { ENGINES, type TestStorage } from '../support/engines.ts';
import { anyNewPet, importPets, readAll, rex } from './animals.ts';

const namesIn = async (database: Database) => (await readAll(database)).map(({ name }) => name);

describe.each(ENGINES)('$name imports animals', ({ open }) => {
  let storage: TestStorage;
  const begin = () => storage.database.transfer.beginImport();
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.remove());

  test('in the order of the file, equal to what it says, under new ids', async () => {
    const property = fc.asyncProperty(fc.array(anyNewPet, { maxLength: 30 }), async (pets) => {
      const { database, remove } = await open();
      try {
        const { id } = await autocommit(database).pets.create(rex());
        const transfer = database.transfer.beginImport();
        for (const pet of pets) transfer.add(pet);
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
    const transfer = begin();
    transfer.add(rex({ name: 'one' }));
    transfer.add(rex({ name: 'two' }));
    expect(await namesIn(storage.database)).toEqual([]);
    expect(storage.database.transfer.countPets()).toBe(0);
    expect([...storage.database.transfer.exportPets()]).toEqual([]);
    expect(await transfer.commit()).toBe(2);
    expect(await namesIn(storage.database)).toEqual(['one', 'two']);
    expect(storage.database.transfer.countPets()).toBe(2);
  });

  test('none of them when it is abandoned, once or twice', async () => {
    const transfer = begin();
    transfer.add(rex());
    transfer.abandon();
    transfer.abandon();
    expect(await namesIn(await storage.reopen())).toEqual([]);
  });

  test('abandoning after commit takes nothing back', async () => {
    const transfer = begin();
    transfer.add(rex());
    await transfer.commit();
    transfer.abandon();
    expect(await namesIn(storage.database)).toEqual(['Rex']);
  });

  test('without a row: nothing happens', async () => {
    expect(await begin().commit()).toBe(0);
    expect(await namesIn(storage.database)).toEqual([]);
  });

  test('while it is under way others add animals', async () => {
    const transfer = begin();
    transfer.add(rex({ name: 'from the file' }));
    await autocommit(storage.database).pets.create(rex({ name: 'meanwhile' }));
    transfer.add(rex({ name: 'from the file, too' }));
    await transfer.commit();
    expect(await namesIn(storage.database)).toEqual([
      'meanwhile',
      'from the file',
      'from the file, too',
    ]);
  });

  test('two imports at the same moment both add all of theirs, each as one block', async () => {
    const transfers = ['a', 'b'].map((name) => {
      const transfer = begin();
      for (let row = 0; row < 5; row++) transfer.add(rex({ name }));
      return transfer.commit();
    });
    expect(await Promise.all(transfers)).toEqual([5, 5]);
    expect((await namesIn(storage.database)).join('')).toMatch(/^(a{5}b{5}|b{5}a{5})$/);
  });

  test('2500 rows come back whole', async () => {
    const transfer = begin();
    for (let row = 0; row < 2_500; row++) transfer.add(rex({ categoryId: row }));
    expect(await transfer.commit()).toBe(2_500);
    const categories = (await readAll(storage.database)).map(({ categoryId }) => categoryId);
    expect(categories).toEqual(Array.from({ length: 2_500 }, (_, row) => row));
  });

  describe('under ids of the file', () => {
    test.each([0, -1, -(2n ** 63n)])('never %p: ids are above zero', (id) => {
      const transfer = begin();
      expect(() => transfer.add(rex(), id)).toThrow(IdTaken);
      transfer.abandon();
    });

    test('never one that was assigned, nor one below it', async () => {
      await importPets(storage.database, [{ id: 10, ...rex() }]);
      const transfer = begin();
      for (const id of [1, 9, 10]) expect(() => transfer.add(rex(), id)).toThrow(IdTaken);
      transfer.add(rex({ name: 'eleven' }), 11);
      expect(await transfer.commit()).toBe(1);
      expect(await namesIn(storage.database)).toEqual(['Rex', 'eleven']);
    });

    test('never twice the same, however large: a refused row leaves the others whole', async () => {
      const transfer = begin();
      transfer.add(rex({ name: 'one' }), 2n ** 60n);
      expect(() => transfer.add(rex({ name: 'again' }), 2n ** 60n)).toThrow(IdTaken);
      transfer.add(rex({ name: 'next' }), 2n ** 60n + 1n);
      expect(await transfer.commit()).toBe(2);
      expect(await namesIn(storage.database)).toEqual(['one', 'next']);
    });

    test('in whatever order the file names them', async () => {
      const transfer = begin();
      for (const id of [7, 3, 5]) transfer.add(rex({ name: `${id}` }), id);
      await transfer.commit();
      expect(await namesIn(storage.database)).toEqual(['3', '5', '7']);
    });

    test('none at all when an animal was added meanwhile', async () => {
      const transfer = begin();
      transfer.add(rex({ name: 'kept' }), 100);
      await autocommit(storage.database).pets.create(rex({ name: 'meanwhile' }));
      await expect(transfer.commit()).rejects.toThrow(IdTaken);
      await autocommit(storage.database).pets.create(rex({ name: 'later' }));
      expect(await namesIn(storage.database)).toEqual(['meanwhile', 'later']);
    });
  });
});
