import { describeIssues } from '../http/validation.ts';
import { type Int64, isInt64 } from '../int64.ts';
import { NewPet } from '../pets/pet.ts';
import { IdTaken, type PetImport } from './catalogue-transfer.ts';
import type { ImportTarget } from './import-rows.ts';

export const PET_COLUMNS = ['id', 'name', 'categoryId', 'status'] as const;

export const PET_FIELDS = {
  name: 'text',
  categoryId: 'number',
  status: 'word',
  id: 'number',
} as const;

/** New animals get ids above the kept ones: enough are left for them. */
const MAX_KEPT_ID = 2n ** 62n;

export interface PetRowOptions {
  /** The category of a row that names none. */
  readonly categoryId: Int64 | undefined;
  /** Keep the file's ids instead of assigning new ones. */
  readonly keepIds: boolean;
}

/** Takes rows as animals. */
export function petRows(animals: PetImport, { categoryId, keepIds }: PetRowOptions): ImportTarget {
  return {
    fields: PET_FIELDS,
    add({ id, ...values }) {
      if (categoryId !== undefined) values['categoryId'] ??= categoryId;
      const pet = NewPet.safeParse(values);
      if (!pet.success) return describeIssues(pet.error).join('; ');
      if (keepIds && !(isInt64(id) && id <= MAX_KEPT_ID)) {
        return `id: must be an integer to be kept, of at most ${MAX_KEPT_ID}`;
      }
      try {
        animals.add(pet.data, keepIds ? (id as Int64) : undefined);
        return undefined;
      } catch (error) {
        if (error instanceof IdTaken) return error.message;
        throw error;
      }
    },
    commit: () => animals.commit(),
    abandon: () => animals.abandon(),
  };
}
