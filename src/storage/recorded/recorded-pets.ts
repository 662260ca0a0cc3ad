import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import type { NewPet, Pet } from '../../pets/pet.ts';
import type { PetStore } from '../../pets/pet-store.ts';
import { previousOf, type Recording } from './recording.ts';
import { Remembered } from './remembered.ts';

/** Changes animals and records the events. */
export class RecordedPets implements PetStore {
  readonly #known = new Remembered<Pet>((id) => this.stored.get(id));

  constructor(
    readonly stored: PetStore,
    readonly recording: Recording,
  ) {}

  list = (...parameters: Parameters<PetStore['list']>) => this.stored.list(...parameters);

  inventory = (categoryId?: Int64) => this.stored.inventory(categoryId);

  inventoryOfNames = (...parameters: Parameters<PetStore['inventoryOfNames']>) =>
    this.stored.inventoryOfNames(...parameters);

  inventoriesOf = (categoryIds: readonly Int64[]) => this.stored.inventoriesOf(categoryIds);

  get(id: Int64): MaybePromise<Pet | undefined> {
    return this.#known.get(id);
  }

  create(pet: NewPet): MaybePromise<Pet> {
    return chain(this.stored.create(pet), (added) => this.#created(added));
  }

  createAll(pets: readonly NewPet[]): MaybePromise<Pet[]> {
    return chain(this.stored.createAll(pets), (added) => {
      for (const pet of added) this.#created(pet);
      return added;
    });
  }

  replace(pet: Pet): MaybePromise<void> {
    return chain(this.#known.last(pet.id), (before) =>
      chain(this.stored.replace(pet), () => {
        this.#known.set(pet.id, pet);
        const previous = before && previousOf(before, pet);
        if (previous) this.recording.add('pet.updated', pet.id, { data: pet, previous });
      }),
    );
  }

  remove(id: Int64): MaybePromise<void> {
    return chain(this.#known.last(id), (before) =>
      chain(this.stored.remove(id), () => {
        this.#known.set(id, undefined);
        if (before) this.recording.add('pet.deleted', id, { data: before });
      }),
    );
  }

  /** Called after another store has changed animals. */
  forget(ids: readonly Int64[]): void {
    this.#known.forget(ids);
  }

  #created(pet: Pet): Pet {
    this.recording.add('pet.created', pet.id, { data: pet });
    return pet;
  }
}
