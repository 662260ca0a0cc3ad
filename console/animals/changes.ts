import type { Pet, PetPatch } from '../../sdk/src/index.ts';
import { FIELD_NAMES } from './fields.tsx';
import type { PetInput } from './queries.ts';

/** The merge patch that turns an animal into these values: only the fields that differ. */
export const changesOf = (pet: Pet<string>, values: PetInput): PetPatch<string> =>
  Object.fromEntries(
    FIELD_NAMES.filter((field) => values[field] !== pet[field]).map((field) => [
      field,
      values[field] ?? null,
    ]),
  );
