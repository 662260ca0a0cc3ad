import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Pet } from '../../src/pets/pet.ts';
import { anyNewPet, int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { readAll, rex } from './animals.ts';

describe.each(ENGINES)('$name', ({ open }) => {
  const storage = useEach(open);

  test('replaces an animal, and no other one', async () => {
    const property = fc.asyncProperty(anyNewPet, anyNewPet, async (before, after) => {
      const { read, write } = storage.database;
      const [pet, other] = await Promise.all(
        [before, before].map((fields) => write(BY_TEST, ({ pets }) => pets.create(fields))),
      );
      const changed = { id: (pet as Pet).id, ...after };
      await write(BY_TEST, ({ pets }) => pets.replace(changed));
      expect(await read.pets.get(changed.id)).toStrictEqual(changed);
      expect(await read.pets.get((other as Pet).id)).toStrictEqual(other);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test('removes an animal, and does not assign its id again, also after reopening', async () => {
    const add = () => storage.database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const [remaining, removed] = [await add(), await add()];
    await storage.database.write(BY_TEST, ({ pets }) => pets.remove(removed.id));
    expect(await readAll(storage.database)).toStrictEqual([remaining]);
    await storage.reopen();
    expect((await add()).id > removed.id).toBe(true);
  });

  test('replaces and removes exactly the animal with an id beyond 2^53', async () => {
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
