import type { Int64 } from '../int64.ts';
import type { NewPet, Pet } from '../pets/pet.ts';

/** Moving whole catalogues in and out. Failures are thrown as `StorageError`. */
export interface CatalogueTransfer {
  beginImport(): PetImport;

  /** Every animal, ascending by id, in batches: the catalogue as it was at one moment. */
  exportPets(): Iterable<readonly Pet[]>;

  countPets(): number;
}

/** An import under way. Its rows are set aside, without holding up anyone, until all are added at once. */
export interface PetImport {
  /**
   * Sets a row aside, to be added under a new id, or under `keptId` if one is given: either all
   * rows of an import keep their ids or none does.
   * @throws IdTaken when the kept id cannot be used.
   */
  add(pet: NewPet, keptId?: Int64): void;

  /** Adds all rows, in their order, in one transaction. Resolves with their number once they are durable. */
  commit(): Promise<number>;

  /** Forgets the rows. Does nothing after `commit`. */
  abandon(): void;
}

/** An id that a file wants to keep was, or may have been, assigned to another animal. */
export class IdTaken extends Error {
  override readonly name = 'IdTaken';
}
