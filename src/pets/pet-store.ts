import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { NewPet, Pet, PetStatus } from './pet.ts';
import type { PetFilters } from './pet-filters.ts';

export type Inventory = Readonly<Record<PetStatus | 'unset', number>>;

/** Where the catalogue's animals are found. Failures are thrown as `StorageError`. */
export interface PetReader {
  /** The first `count` animals with an id greater than `afterId` (undefined: from the beginning), ascending by id. */
  list(filters: PetFilters, afterId: Int64 | undefined, count: number): MaybePromise<Pet[]>;

  get(id: Int64): MaybePromise<Pet | undefined>;

  /** How many animals have each status; `unset` counts those without one. */
  inventory(): MaybePromise<Inventory>;
}

/** Where animals are added. Failures are thrown as `StorageError`. */
export interface PetAdder {
  /** Adds an animal under an id never assigned before. */
  create(pet: NewPet): MaybePromise<Pet>;
}

/** Both, within a transaction that may change animals. */
export interface PetStore extends PetReader, PetAdder {
  /** Puts an animal in the place of the one with its id. */
  replace(pet: Pet): MaybePromise<void>;

  remove(id: Int64): MaybePromise<void>;
}
