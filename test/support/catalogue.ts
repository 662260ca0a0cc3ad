import type { Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import type { ImportedPet } from '../../src/transfer/catalogue-transfer.ts';

/** How many animals there are. */
export async function countPets(database: Database): Promise<number> {
  const counts = Object.values(await database.read.pets.inventory());
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Adds animals in one import, under their ids where they have one. @throws when one is refused. */
export async function importPets(
  database: Database,
  pets: readonly ImportedPet[],
): Promise<number> {
  const transfer = await database.transfer.beginImport();
  for (const [place, problem] of await transfer.add(pets))
    throw new Error(`animal ${place} is refused: ${problem}`);
  return transfer.commit();
}

/** All that an export holds. */
export const exportPets = async (database: Database): Promise<Pet[]> =>
  (await Array.fromAsync(database.transfer.exportPets())).flat();
