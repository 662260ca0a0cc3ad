import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { NewPet, Pet } from '../pets/pet.ts';
import type { CatalogueReplica, CatalogueSnapshot } from './catalogue-copy.ts';

/** Moving whole catalogues in and out. Failures are thrown as `StorageError`. */
export interface CatalogueTransfer {
  beginImport(): MaybePromise<PetImport>;

  /** Every animal, ascending by id, in batches: the catalogue as it was at one moment. */
  exportPets(): AsyncIterable<readonly Pet[]>;

  /** Opens everything for reading. Whoever opened it closes it. */
  openSnapshot(): MaybePromise<CatalogueSnapshot>;

  /** Opens everything for writing it as a whole. Whoever opened it closes it. */
  openReplica(): MaybePromise<CatalogueReplica>;
}

/** An animal to be imported. With an `id`, it keeps that: either all of an import do or none does. */
export type ImportedPet = NewPet & { readonly id?: Int64 };

/** An import under way. Its rows are set aside, without holding up anyone, until all are added at once. */
export interface PetImport {
  /**
   * Sets rows aside, but those whose id cannot be kept: returns why, by their place in `pets`.
   * It is awaited before the next.
   */
  add(pets: readonly ImportedPet[]): MaybePromise<ReadonlyMap<number, string>>;

  /**
   * Adds all rows, in their order, in one transaction. Resolves with their number once they are durable.
   * @throws IdTaken when a kept id was assigned meanwhile.
   */
  commit(): Promise<number>;

  /** Forgets the rows. Does nothing after `commit`. */
  abandon(): MaybePromise<void>;
}

/** An id that a file wants to keep was assigned to another animal while the file was read. */
export class IdTaken extends Error {
  override readonly name = 'IdTaken';
}
