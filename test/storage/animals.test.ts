import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Pet } from '../../src/pets/pet.ts';
import { anyNewPet, int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { ascending } from '../support/list-query.ts';
import { useEach } from '../support/use-each.ts';
import { inOrder, readAll, rex } from './animals.ts';

describe.each(ENGINES)('animals in $name', ({ open }) => {
  const storage = useEach(open);

  test('are read back equal by create, get and list', async () => {
    const property = fc.asyncProperty(
      fc.array(anyNewPet, { minLength: 1, maxLength: 20 }),
      async (pets) => {
        const { database } = storage;
        const created = await Promise.all(pets.map((pet) => database.addPet(BY_TEST, pet)));
        expect(created).toStrictEqual(
          pets.map((pet, index) => ({ id: (created[index] as Pet).id, ...pet })),
        );
        const ids = created.map(({ id }) => id);
        expect(await Promise.all(ids.map((id) => database.read.pets.get(id)))).toStrictEqual(
          created,
        );
        const filters = { id: ids };
        expect(await database.read.pets.list(ascending(filters), 0, 100)).toStrictEqual(
          inOrder(created),
        );
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });

  test('have exact ids beyond 2^53, up to the last one', async () => {
    const ids = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 2n].map(int64);
    const pets = ids.map((id) => ({ id, name: `animal ${id}`, categoryId: 1 }));
    const { database } = storage;
    await importPets(database, pets);
    expect(await readAll(database, 1)).toStrictEqual(pets);
    for (const pet of pets) expect(await database.read.pets.get(pet.id)).toStrictEqual(pet);
    expect((await database.addPet(BY_TEST, rex())).id).toBe(2n ** 63n - 1n);
  });

  test('have ids above all earlier ones, also of imported and removed animals, and after reopening', async () => {
    const imported = { id: 1_000, ...rex() };
    await importPets(storage.database, [imported]);
    const removed = await storage.database.addPet(BY_TEST, rex());
    expect(removed.id > 1_000).toBe(true);
    await storage.database.write(BY_TEST, ({ pets }) => pets.remove(removed.id));
    expect(await readAll(storage.database)).toStrictEqual([imported]);
    const added = await (await storage.reopen()).addPet(BY_TEST, rex());
    expect(added.id > removed.id).toBe(true);
  });

  test('are replaced and removed by exact ids beyond 2^53', async () => {
    const ids = [2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n].map(int64);
    await importPets(
      storage.database,
      ids.map((id) => ({ id, ...rex() })),
    );
    const [first = 0, second = 0, third = 0] = ids;
    await storage.database.write(BY_TEST, ({ pets }) =>
      pets.replace({ id: second, ...rex(), name: 'Max' }),
    );
    await storage.database.write(BY_TEST, ({ pets }) => pets.remove(third));
    expect(await readAll(storage.database)).toStrictEqual([
      { id: first, ...rex() },
      { id: second, ...rex({ name: 'Max' }) },
    ]);
  });
});
