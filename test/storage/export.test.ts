import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { autocommit } from '../support/autocommit.ts';
import { ENGINES, type TestStorage } from '../support/engines.ts';
import { importPets, readAll, rex } from './animals.ts';

describe.each(ENGINES)('$name exports animals', ({ open }) => {
  let storage: TestStorage;
  const exported = () => [...storage.database.transfer.exportPets()].flat();
  const fill = (count: number) =>
    importPets(
      storage.database,
      Array.from({ length: count }, (_, index) => ({
        id: index + 1,
        name: `animal ${index + 1}`,
        categoryId: index,
      })),
    );
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.remove());

  test('of an empty catalogue: none', () => {
    expect(exported()).toEqual([]);
    expect(storage.database.transfer.countPets()).toBe(0);
  });

  test.each([1, 999, 1_000, 1_001, 2_500])('all %i of them, ascending by id', async (count) => {
    await fill(count);
    expect(exported()).toStrictEqual(await readAll(storage.database));
    expect(storage.database.transfer.countPets()).toBe(count);
  });

  test('with exact ids and categories', async () => {
    const pet = { id: 2n ** 53n + 1n, name: 'Rex', categoryId: -(2n ** 63n) };
    await importPets(storage.database, [pet]);
    expect(exported()).toStrictEqual([pet]);
  });

  test('as they were at one moment, though more are added before each batch', async () => {
    await fill(2_500);
    const ids = [];
    for (const batch of storage.database.transfer.exportPets()) {
      ids.push(...batch.map(({ id }) => id));
      await autocommit(storage.database).pets.create(rex());
    }
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
    expect(storage.database.transfer.countPets()).toBeGreaterThan(2_500);
  });

  test('again from the beginning, after one that was not read to its end', async () => {
    await fill(1_500);
    for (const batch of storage.database.transfer.exportPets()) {
      expect(batch[0]?.id).toBe(1);
      break;
    }
    await autocommit(storage.database).pets.create(rex());
    expect(exported()).toHaveLength(1_501);
  });

  test('a catalogue that was exported can be imported under the same ids', async () => {
    await fill(1_200);
    const pets = exported();
    const other = await open();
    try {
      await importPets(other.database, pets);
      expect(await readAll(other.database)).toStrictEqual(pets);
    } finally {
      await other.remove();
    }
  });
});
