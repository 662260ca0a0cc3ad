import type { Cause } from '../events/cause.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { NewPet, Pet } from '../pets/pet.ts';
import type { CatalogueSource, CatalogueWriter } from './catalogue-copy.ts';

/** Imports, exports and copies catalogues. Throws `StorageError`. */
export interface CatalogueTransfer {
  /** @param cause of the one event that the import records, of the moment at which it commits. */
  beginImport(cause: () => Cause): MaybePromise<PetImport>;

  /** A snapshot of all animals, ascending by id, in batches. */
  exportPets(): AsyncIterable<readonly Pet[]>;

  /**
   * Opens the catalogue to copy it. The caller closes it. Refuses a database that anything else uses: what it changed later would
   * be missing in the copy. The `Database` of this transfer must be closed, too.
   */
  openSource(): MaybePromise<CatalogueSource>;

  /** Begins to write a complete catalogue. The caller closes it. */
  openWriter(): MaybePromise<CatalogueWriter>;
}

/** An animal to import. It keeps its `id` if it has one. Either all animals of an import have an id, or none has. */
export type ImportedPet = NewPet & { readonly id?: Int64 };

/** An import in progress. Its rows are staged without blocking other writers, and then added in one transaction. */
export interface PetImport {
  /**
   * Stages animals. Returns the errors of those whose id cannot be kept, by their index in `pets`;
   * these are not staged. The caller awaits each call before the next.
   */
  add(pets: readonly ImportedPet[]): MaybePromise<ReadonlyMap<number, string>>;

  /**
   * Adds all staged animals, in their order, in one transaction. Resolves with their number when they are durable.
   * @throws IdTaken if a kept id was assigned in the meantime.
   */
  commit(): Promise<number>;

  /** Discards the staged animals. Does nothing after `commit`. */
  abandon(): MaybePromise<void>;
}

/** An id that the import keeps was assigned to another animal while the file was read. */
export class IdTaken extends Error {
  override readonly name = 'IdTaken';
}
