import type { Pet } from '../../sdk/src/index.ts';
import { FIELD_NAMES, type FieldName, petOf } from './fields.tsx';
import type { PetInput } from './queries.ts';

/** What happened to a field since the user began to edit. */
export type FieldChange = ReturnType<typeof compareChanges>[number];

/** Compares what the user and a colleague have changed in the same version of an animal. */
export const compareChanges = (base: PetInput, theirs: PetInput, mine: PetInput) =>
  FIELD_NAMES.map((field) => {
    const isMine = mine[field] !== base[field];
    const isTheirs = theirs[field] !== base[field];
    return {
      field,
      isMine,
      isTheirs,
      isConflict: isMine && isTheirs && mine[field] !== theirs[field],
    };
  });

/** The side whose value is saved, for the fields that both changed. */
export type Choice = Partial<Record<FieldName, 'theirs' | 'mine'>>;

/** The version of the colleague with the changes of the user. */
export function mergeChanges(
  base: PetInput,
  theirs: Pet<string>,
  mine: PetInput,
  choice: Choice = {},
): PetInput {
  const from = (field: FieldName): PetInput => {
    const isMine = mine[field] !== base[field] && choice[field] !== 'theirs';
    return isMine ? mine : theirs;
  };
  const merged = FIELD_NAMES.map((field) => [field, from(field)[field]]);
  return petOf(Object.fromEntries(merged));
}
