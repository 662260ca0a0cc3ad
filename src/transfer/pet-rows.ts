import type { Int64 } from '../int64.ts';
import { PET_STATUSES, type Pet } from '../pets/pet.ts';
import type { ImportedPet, PetImport } from './catalogue-transfer.ts';
import type { FileField } from './files/fields.ts';
import type { ImportTarget } from './import-rows.ts';

/** New animals get ids above the kept ones. This limit leaves enough ids for them. */
const MAX_KEPT_ID = 2n ** 62n;

/** The fields of an animal in a file. @param categoryId of rows without one. */
export const petFields = (
  categoryId: Int64 | undefined,
): Readonly<Record<keyof Pet, FileField>> => ({
  id: { kind: 'int64', isRequired: true, max: MAX_KEPT_ID },
  name: { kind: 'name', isRequired: true },
  categoryId: { kind: 'int64', isRequired: categoryId === undefined },
  status: { kind: PET_STATUSES },
});

/** Imports rows as animals. @param categoryId of rows without one. */
export const petRows = (petImport: PetImport, categoryId: Int64 | undefined): ImportTarget => ({
  add: (rows) => petImport.add(rows.map((values) => ({ categoryId, ...values }) as ImportedPet)),
  commit: () => petImport.commit(),
  abandon: () => petImport.abandon(),
});
