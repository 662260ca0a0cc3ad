import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { IdTaken, type ImportedPet } from '../../src/transfer/catalogue-transfer.ts';
import { anyNewPet } from '../support/arbitraries.ts';
import { countPets, exportPets, importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { readAll, rex } from './animals.ts';

const namesIn = async (database: Database) => (await readAll(database)).map(({ name }) => name);

describe.each(ENGINES)('an import of animals to $name', ({ name, open }) => {
  const storage = useEach(open);
  const begin = async () => storage.database.transfer.beginImport(() => BY_TEST);
  /** An import with these animals, none of them refused. */
  const beginWith = async (...pets: readonly ImportedPet[]) => {
    const transfer = await begin();
    expect((await transfer.add(pets)).size).toBe(0);
    return transfer;
  };

  test('adds the rows in the order of the file under new ids, in batches of any size', async () => {
    const batches = fc.array(fc.array(anyNewPet, { maxLength: 30 }), { maxLength: 4 });
    const property = fc.asyncProperty(batches, async (all) => {
      const before = await readAll(storage.database);
      const transfer = await begin();
      for (const pets of all) expect([...(await transfer.add(pets))]).toEqual([]);
      const pets = all.flat();
      expect(await transfer.commit()).toBe(pets.length);
      const stored = await readAll(storage.database);
      const imported = stored.slice(before.length);
      expect(stored).toStrictEqual([
        ...before,
        ...pets.map((pet, index) => ({ id: (imported[index] as Pet).id, ...pet })),
      ]);
    });
    await fc.assert(property, { numRuns: name === 'SQLite' ? 12 : 6 });
  });

  test('adds no animal before commit, and all of them at commit', async () => {
    const transfer = await beginWith(rex({ name: 'one' }));
    await transfer.add([rex({ name: 'two' })]);
    expect(await namesIn(storage.database)).toEqual([]);
    expect(await countPets(storage.database)).toBe(0);
    expect(await exportPets(storage.database)).toEqual([]);
    expect(await transfer.commit()).toBe(2);
    expect(await namesIn(storage.database)).toEqual(['one', 'two']);
    expect(await countPets(storage.database)).toBe(2);
  });

  test('adds no animal if it is abandoned, once or twice', async () => {
    const transfer = await beginWith(rex());
    await transfer.abandon();
    await transfer.abandon();
    expect(await namesIn(await storage.reopen())).toEqual([]);
  });

  test('without a row adds nothing', async () => {
    expect(await (await begin()).commit()).toBe(0);
    expect(await (await beginWith()).commit()).toBe(0);
    expect(await namesIn(storage.database)).toEqual([]);
  });

  test('adds all rows in order while another import runs', async () => {
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

  describe('with the ids of the file', () => {
    const petsWithIds = (...ids: readonly Pet['id'][]) =>
      ids.map((id) => ({ id, ...rex({ name: `${id}` }) }));

    test.each([0, -1, -(2n ** 63n)])('refuses the id %p: ids are positive', async (id) => {
      const transfer = await begin();
      expect([...(await transfer.add(petsWithIds(id)))]).toEqual([
        [0, `the id ${id} may have been assigned before: only ids above 0 can be kept`],
      ]);
      await transfer.abandon();
    });

    test('reports each refused row by its index in the batch, with the reason, also ids of removed animals', async () => {
      await importPets(storage.database, petsWithIds(9, 10));
      await storage.database.write(BY_TEST, ({ pets }) => pets.remove(10));
      const transfer = await begin();
      const assigned = (id: number) =>
        `the id ${id} may have been assigned before: only ids above 10 can be kept`;
      const twice = (id: number) => `the id ${id} occurs twice in the file`;
      const first = await transfer.add(petsWithIds(5, 12, 12, 13, 10, 12));
      expect([...first].sort()).toEqual([
        [0, assigned(5)],
        [2, twice(12)],
        [4, assigned(10)],
        [5, twice(12)],
      ]);
      const second = await transfer.add(petsWithIds(14, 13, 11));
      expect([...second]).toEqual([[1, twice(13)]]);
      expect(await transfer.commit()).toBe(4);
      expect(await namesIn(storage.database)).toEqual(['9', '11', '12', '13', '14']);
    });

    test('counts no animal twice beside an id that is no safe integer', async () => {
      for (const id of [2n ** 53n + 1n, 2n ** 53n + 3n])
        await importPets(storage.database, petsWithIds(id));
      const inventory = await storage.database.read.pets.inventory();
      expect(inventory).toEqual({ available: 0, pending: 0, sold: 0, unset: 2 });
    });

    test('adds no animal if another one was added in between', async () => {
      const transfer = await beginWith(...petsWithIds(100));
      await storage.database.addPet(BY_TEST, rex({ name: 'in between' }));
      await expect(transfer.commit()).rejects.toThrow(IdTaken);
      await storage.database.addPet(BY_TEST, rex({ name: 'later' }));
      expect(await namesIn(storage.database)).toEqual(['in between', 'later']);
    });
  });
});
