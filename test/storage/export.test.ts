import { describe, expect, test } from 'bun:test';
import type { Int64 } from '../../src/int64.ts';
import { countPets, exportPets, importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { readAll, rex } from './animals.ts';

describe.each(ENGINES)('an export of animals from $name', ({ open }) => {
  const storage = useEach(open);
  const exported = () => exportPets(storage.database);
  const fill = (count: number) =>
    importPets(
      storage.database,
      Array.from({ length: count }, (_, index) => ({
        id: index + 1,
        name: `animal ${index + 1}`,
        categoryId: index,
      })),
    );

  test.each([1_000, 1_001])('contains all %i animals in ascending order of id', async (count) => {
    await fill(count);
    const pets = await exported();
    expect(pets).toHaveLength(count);
    expect(pets).toStrictEqual(await readAll(storage.database));
  });

  test('is a snapshot, even if animals are added before each batch', async () => {
    await fill(2_500);
    const ids: Int64[] = [];
    for await (const batch of storage.database.transfer.exportPets()) {
      ids.push(...batch.map(({ id }) => id));
      // One that is no snapshot would never end.
      if (ids.length > 2_500) break;
      await storage.database.addPet(BY_TEST, rex());
    }
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
    expect(await countPets(storage.database)).toBeGreaterThan(2_500);
  });
});
