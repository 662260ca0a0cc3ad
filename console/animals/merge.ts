import type { Pet } from '../../sdk/src/index.ts';
import type { PetInput } from './queries.ts';

type Side = 'theirs' | 'mine';

export type Field = 'name' | 'categoryId' | 'status';

const FIELDS: readonly Field[] = ['name', 'categoryId', 'status'];

/** What happened to a field since the user began to edit. */
export interface FieldChange {
  readonly field: Field;
  readonly isMine: boolean;
  readonly isTheirs: boolean;
  /** Both changed it, to different values. */
  readonly isConflict: boolean;
}

/** Compares what the user and a colleague have changed in the same version of an animal. */
export const compareChanges = (base: PetInput, theirs: PetInput, mine: PetInput): FieldChange[] =>
  FIELDS.map((field) => {
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
export type Choice = Partial<Record<Field, Side>>;

/** The version of the colleague with the changes of the user. */
export function mergeChanges(
  base: PetInput,
  theirs: Pet<string>,
  mine: PetInput,
  choice: Choice = {},
): PetInput {
  const side = (field: Field): Side =>
    mine[field] === base[field] ? 'theirs' : (choice[field] ?? 'mine');
  const from = (field: Field): PetInput => (side(field) === 'mine' ? mine : theirs);
  const { status } = from('status');
  return {
    name: from('name').name,
    categoryId: from('categoryId').categoryId,
    ...(status && { status }),
  };
}
