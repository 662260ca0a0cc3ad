/** Animals that are added together. */
import { describe, expect, test } from 'bun:test';
import type { NewPet } from '../../src/pets/pet.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { readAll, rex } from './animals.ts';

describe.each(ENGINES)('animals added together in $name', ({ open }) => {
  const storage = useEach(open);

  const addAll = (added: readonly NewPet[]) =>
    storage.database.write(BY_TEST, ({ pets }) => pets.createAll(added));
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => rex({ name: `Animal ${index}` }));

  test.each([0, 3, 9])('are none if the one at %d violates a constraint', async (place) => {
    const tooLong = rex({ name: 'x'.repeat(256) });
    await addAll(many(2));
    await expect(addAll(many(10).with(place, tooLong))).rejects.toThrow();
    expect(await readAll(storage.database)).toHaveLength(2);
    expect(await storage.database.read.pets.inventory()).toMatchObject({ unset: 2 });
    expect(await addAll(many(2))).toHaveLength(2);
  });

  test('have ids of their own beside animals that are added at the same time', async () => {
    const { write, addPet } = storage.database;
    const together = [1, 2, 3, 4].map(() => addAll(many(100)));
    const alone = many(50).map((pet) => addPet(BY_TEST, pet));
    const changed = many(20).map((pet) => write(BY_TEST, ({ pets }) => pets.create(pet)));
    const added = [(await Promise.all(together)).flat(), await Promise.all([...alone, ...changed])];
    const ids = added.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(470);
    expect(new Set((await readAll(storage.database)).map(({ id }) => id))).toEqual(new Set(ids));
  });
});
