import type { Pet } from '../../sdk/src/index.ts';
import { editSurely } from '../change.ts';
import { Refusal, unlessGone } from '../failures.ts';
import type { Step } from '../many.ts';
import type { Store } from '../store.ts';
import { TEXTS } from '../texts.ts';
import { changesOf } from './changes.ts';
import { type PetInput, updatePet } from './queries.ts';

/** What is done with each of several animals. Only a deletion cannot be undone. */
export type BulkChange = Partial<PetInput> | 'delete';

export const stepOf = (store: Store, pet: Pet<string>, change: BulkChange): Step => ({
  pet,
  act: async () => {
    if (change === 'delete')
      return deletePet(store, pet.id, (now) => {
        // Whoever selected the animal has not seen its sale.
        if (now.status === 'sold' && pet.status !== 'sold')
          throw new Refusal(TEXTS.failures.changed);
      });
    return editPet(store, pet.id, (now) => {
      if (now.status === 'sold' && 'status' in change) throw new Refusal(TEXTS.animals.heldBySale);
      return { ...now, ...change };
    });
  },
});

/** Deletes an animal, unless `check` throws for its present values. */
export async function deletePet(
  store: Store,
  id: string,
  check?: (pet: Pet<string>) => void,
): Promise<undefined> {
  const { data, response } = await store.pets.get(id).withResponse();
  check?.(data);
  await store.pets.delete(id, { ifMatch: response.etag }).catch(unlessGone('pet'));
}

/** Gives an animal the values for its present ones. Returns undefined if it has them already. */
export async function editPet(
  store: Store,
  id: string,
  valuesOf: (pet: Pet<string>) => PetInput,
): Promise<Step | undefined> {
  const changed: Pet<string>[] = [];
  const patchOf = (pet: Pet<string>) => {
    const patch = changesOf(pet, valuesOf(pet));
    if (Object.keys(patch).length === 0) return undefined;
    changed.push(pet);
    return patch;
  };
  const { data: pet, response } = await editSurely(() =>
    store.pets.edit(id, patchOf).withResponse(),
  );
  const before = changed.at(-1);
  if (before === undefined) return undefined;
  const back = changesOf(pet, before);
  const undo = () => updatePet(store, { id, patch: back, etag: response.etag });
  return { pet, act: () => undo().then(() => undefined) };
}
