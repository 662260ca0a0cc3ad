import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import { insertedFieldsOf, type Row, selectListOf, valuesOf } from '../../rows.ts';
import { PETS } from '../../tables.ts';
import { arraysOf, unnest } from '../statements/arrays.ts';
import { insertionOf } from '../statements/insertion.ts';
import type { Run } from '../transactions/transactions.ts';

const FIELDS = insertedFieldsOf(PETS);
const INSERTION = insertionOf(PETS, FIELDS);
const COLUMNS = INSERTION.columns.join(', ');
const cellsOf = valuesOf(PETS, FIELDS);

const INSERT = `INSERT INTO animal_store.pets (${COLUMNS})
  SELECT ${COLUMNS}
  FROM ${unnest(INSERTION.types)} WITH ORDINALITY AS added (${COLUMNS}, position)
  ORDER BY position
  RETURNING ${selectListOf(PETS)}`;

/** Adds animals by one statement, with ascending ids, in their order. */
export async function insertPets(run: Run, pets: readonly NewPet[]): Promise<Pet[]> {
  const added = pets.map((pet) => INSERTION.complete(cellsOf(pet)));
  const rows = await run<Row>(INSERT, arraysOf(added, INSERTION.columns.length));
  return pets.map((pet, index) => {
    const row = rows[index];
    // The server returns the rows in the order of insertion. A client must never receive the id of another animal.
    if (
      row === undefined ||
      !FIELDS.every((field, column) => row[field] === added[index]?.[column])
    ) {
      throw new Error('The server returned the added animals changed, or in another order.');
    }
    return { id: row['id'] as Int64, ...pet };
  });
}
