import type { Pet, PetPatch } from '../../sdk/src/index.ts';
import type { PetInput } from './queries.ts';

/** The merge patch that turns an animal into these values: only the fields that differ. */
export function changesOf(pet: Pet<string>, values: PetInput): PetPatch<string> {
  return {
    ...(values.name !== pet.name && { name: values.name }),
    ...(values.categoryId !== pet.categoryId && { categoryId: values.categoryId }),
    ...(values.status !== pet.status && { status: values.status ?? null }),
  };
}
