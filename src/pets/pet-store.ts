import type { CategoryCounter, Inventory } from '../categories/inventory.ts';
import type { Asker, ListQuery } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { NewPet, Pet } from './pet.ts';
import type { PetFilters } from './pet-filters.ts';

/** Reads animals. Failures are thrown as `StorageError`. */
export interface PetReader extends CategoryCounter {
  /**
   * The first `count` animals of a list that follow the id `afterId` (undefined: from the beginning).
   * @param asker who searches by name.
   */
  list(
    query: ListQuery<PetFilters>,
    afterId: Int64 | undefined,
    count: number,
    asker?: Asker,
  ): MaybePromise<Pet[]>;

  get(id: Int64): MaybePromise<Pet | undefined>;

  /** The number of animals by status, of all or of one category; `unset` counts those without a status. */
  inventory(categoryId?: Int64): MaybePromise<Inventory>;

  /** The number of animals by status whose name contains a text, of all categories or of one. */
  inventoryOfNames(
    name: string,
    categoryId: Int64 | undefined,
    asker?: Asker,
  ): MaybePromise<Inventory>;
}

/** Adds animals. Failures are thrown as `StorageError`. */
export interface PetAdder {
  /** Adds an animal with a new id, never assigned before. */
  create(pet: NewPet): MaybePromise<Pet>;
}

/** Reads and changes animals within a transaction. */
export interface PetStore extends PetReader, PetAdder {
  /** Adds animals with ascending ids, in their order. */
  createAll(pets: readonly NewPet[]): MaybePromise<Pet[]>;

  /** Replaces the animal with the same id. */
  replace(pet: Pet): MaybePromise<void>;

  remove(id: Int64): MaybePromise<void>;
}
