import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { NewPet, Pet, PetStatus } from './pet.ts';

/** Which animals of the catalogue a list holds. A filter that is undefined does not narrow it. */
export interface PetFilters {
  readonly status: PetStatus | undefined;
  readonly ids: readonly Int64[] | undefined;
}

/** Where the catalogue's animals are found. Failures are thrown as `StorageError`. */
export interface PetReader {
  /** The first `count` animals with an id greater than `afterId`, ascending by id. */
  list(filters: PetFilters, afterId: Int64, count: number): MaybePromise<Pet[]>;

  get(id: Int64): MaybePromise<Pet | undefined>;
}

/** The same, within a transaction that may change them. */
export interface PetStore extends PetReader {
  /** Adds an animal under an id never assigned before. */
  create(pet: NewPet): MaybePromise<Pet>;
}
