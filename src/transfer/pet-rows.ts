import type { JsonObject } from '../http/request/body.ts';
import { faultsIn } from '../http/request/validation.ts';
import { type Int64, isInt64 } from '../int64.ts';
import { NewPet } from '../pets/pet.ts';
import type { ImportedPet, PetImport } from './catalogue-transfer.ts';
import { addValid, type ImportTarget } from './import-rows.ts';

/** New animals get ids above the kept ones. This limit leaves enough ids for them. */
const MAX_KEPT_ID = 2n ** 62n;

export interface PetRowOptions {
  /** The category of a row without one. */
  readonly categoryId: Int64 | undefined;
  /** Whether to keep the file's ids instead of assigning new ones. */
  readonly keepIds: boolean;
}

/** Imports rows as animals. */
export function petRows(
  petImport: PetImport,
  { categoryId, keepIds }: PetRowOptions,
): ImportTarget {
  const toPet = (values: JsonObject): ImportedPet | string => {
    if (categoryId !== undefined) values['categoryId'] ??= categoryId;
    // The schema ignores the id.
    const { id } = values;
    const pet = NewPet.safeParse(values);
    if (!pet.success) return faultsIn(pet.error).join('; ');
    if (!keepIds) return pet.data;
    if (id === undefined) return 'id: is required to be kept';
    return isInt64(id) && id <= MAX_KEPT_ID
      ? { ...pet.data, id }
      : `id: must be an integer of at most ${MAX_KEPT_ID} to be kept`;
  };
  return {
    add: (rows) => addValid(rows.map(toPet), (pets) => petImport.add(pets)),
    commit: () => petImport.commit(),
    abandon: () => petImport.abandon(),
  };
}
