import type { Pet, PetPatch } from '../../sdk/src/index.ts';
import { guardFormulas } from '../../src/transfer/files/csv-writer.ts';
import { differs } from '../animals/change-many.ts';
import type { Store } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import type { AnimalsFile, FileAnimal, RowFault } from './animals-file.ts';

/** A change of an animal that exists. */
interface FileUpdate {
  readonly line: number;
  /** The animal as it was when the file was read. */
  readonly pet: Pet<string>;
  readonly patch: PetPatch<string>;
}

/** A file whose animals with ids were compared with those of the store. The others are added. */
export interface ComparedFile extends AnimalsFile {
  readonly updates: readonly FileUpdate[];
  /** How many animals are as the file says. */
  readonly unchanged: number;
}

/** The most that one page of the service holds. */
const MAX_PAGE_SIZE = 100;

/** Compares the animals of a file that have ids. An id that is unknown, or occurs twice, is a fault. */
export async function compareAnimals(store: Store, file: AnimalsFile): Promise<ComparedFile> {
  const updates: FileUpdate[] = [];
  const faults: RowFault[] = [];
  const ids = new Set<string>();
  let unchanged = 0;
  const pets = await loadPets(store, file.animals);
  const compare = ({ id = '', line, animal }: FileAnimal): void => {
    const pet = pets.get(id);
    if (ids.has(id)) faults.push({ line, message: TEXTS.transfer.twice });
    else if (pet === undefined) faults.push({ line, message: TEXTS.transfer.unknownId(id) });
    else {
      const wanted = { ...(file.hasStatus && { status: null }), ...animal };
      // A download marks names that a spreadsheet would run.
      if (animal.name === guardFormulas(pet.name)) wanted.name = pet.name;
      const patch = changesOf(pet, wanted);
      if (Object.keys(patch).length === 0) unchanged += 1;
      else updates.push({ line, pet, patch });
    }
    ids.add(id);
  };
  file.animals.filter(({ id }) => id !== undefined).forEach(compare);
  const animals = file.animals.filter(({ id }) => id === undefined);
  return { ...file, animals, updates, unchanged, faults: [...file.faults, ...faults] };
}

/** The animals that exist, by id. */
async function loadPets(store: Store, animals: readonly FileAnimal[]) {
  const ids = [...new Set(animals.flatMap(({ id }) => (id === undefined ? [] : [id])))];
  const pets = new Map<string, Pet<string>>();
  for (let from = 0; from < ids.length; from += MAX_PAGE_SIZE) {
    const part = ids.slice(from, from + MAX_PAGE_SIZE);
    for await (const pet of store.pets.list({ id: part, limit: MAX_PAGE_SIZE }))
      pets.set(pet.id, pet);
  }
  return pets;
}

/** The part of a patch that changes an animal. */
const changesOf = (pet: Pet<string>, patch: PetPatch<string>): PetPatch<string> =>
  Object.fromEntries(
    Object.entries(patch).filter(([field, value]) => differs(pet, { [field]: value })),
  );
