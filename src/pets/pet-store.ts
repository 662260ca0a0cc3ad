import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { NewPet, Pet, PetStatus } from './pet.ts';

/** Which animals of the catalogue a list holds. A filter that is undefined does not narrow it. */
export interface PetFilters {
  readonly status: PetStatus | undefined;
  readonly ids: readonly Int64[] | undefined;
}

/** What the operations on animals need. */
export interface PetDeps {
  readonly pets: PetStore;
  /** The base address that links begin with. */
  readonly baseUrl: string;
}

/** Where the catalogue's animals are kept. Failures are thrown as `StorageError`. */
export interface PetStore {
  /** The first `count` animals with an id greater than `afterId`, ascending by id. */
  list(filters: PetFilters, afterId: Int64, count: number): MaybePromise<Pet[]>;

  get(id: Int64): MaybePromise<Pet | undefined>;

  /** Adds an animal under an id never assigned before. Resolves once it is durable. */
  create(pet: NewPet): Promise<Pet>;
}
