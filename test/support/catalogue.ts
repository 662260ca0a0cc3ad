import type { Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import type { ImportedPet } from '../../src/transfer/catalogue-transfer.ts';
import { BY_TEST } from './cause.ts';

/** The number of animals. */
export async function countPets(database: Database): Promise<number> {
  const counts = Object.values(await database.read.pets.inventory());
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Imports animals, with their ids if they have one. @throws if one is rejected */
export async function importPets(
  database: Database,
  pets: readonly ImportedPet[],
): Promise<number> {
  const transfer = await database.transfer.beginImport(() => BY_TEST);
  for (const [index, problem] of await transfer.add(pets))
    throw new Error(`animal ${index} is rejected: ${problem}`);
  return transfer.commit();
}

/** All animals of an export. */
export const exportPets = async (database: Database): Promise<Pet[]> =>
  (await Array.fromAsync(database.transfer.exportPets())).flat();
