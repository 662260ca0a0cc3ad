import type { RequestCause } from '../../../events/cause.ts';
import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import { CODES } from '../../event-rows.ts';
import { type Cell, insertedFieldsOf, type Row, selectListOf, valuesOf } from '../../rows.ts';
import { PETS } from '../../tables.ts';
import { arrayOf, arraysOf, unnest } from '../statements/arrays.ts';
import { insertionOf } from '../statements/insertion.ts';
import type { Run } from '../transactions/transactions.ts';

const FIELDS = insertedFieldsOf(PETS);
const INSERTION = insertionOf(PETS, FIELDS);
const COLUMNS = INSERTION.columns.join(', ');
const WIDTH = INSERTION.columns.length;
const cellsOf = valuesOf(PETS, FIELDS);

const CREATED = CODES['pet.created'];

const INSERT = `INSERT INTO animal_store.pets (${COLUMNS})
  SELECT ${COLUMNS}
  FROM ${unnest(INSERTION.types)} WITH ORDINALITY AS added (${COLUMNS}, position)
  ORDER BY position
  RETURNING ${selectListOf(PETS)}`;

/** The same, and the events of the additions. The ids ascend in the order of the animals, as their causes do. */
const INSERT_AND_RECORD = `WITH added AS (${INSERT}), recorded AS (
    INSERT INTO animal_store.outbox (type, collection, resource_id, at, key_id, content)
    SELECT ${CREATED.type}, ${CREATED.collection}, id, ($${WIDTH + 1}::bigint[])[position], ($${WIDTH + 2}::bigint[])[position],
      '{"data":' || json_strip_nulls(pet) || '}'
    FROM (SELECT id, row_to_json(added) AS pet, row_number() OVER (ORDER BY id) AS position FROM added) AS numbered
    ORDER BY position
  )
  SELECT * FROM added`;

/** Adds animals by one statement, with ascending ids, in their order. */
export async function insertPets(run: Run, pets: readonly NewPet[]): Promise<Pet[]> {
  const cells = cellsOfAll(pets);
  return toPets(await run<Row>(INSERT, arraysOf(cells, WIDTH)), pets, cells);
}

/** An animal to add, and the request that adds it. */
export interface PetAddition {
  readonly pet: NewPet;
  readonly cause: RequestCause;
}

/** The same for animals of different requests. The statement also records the events. */
export async function insertAndRecordPets(
  run: Run,
  additions: readonly PetAddition[],
): Promise<Pet[]> {
  const pets = additions.map(({ pet }) => pet);
  const cells = cellsOfAll(pets);
  const rows = await run<Row>(INSERT_AND_RECORD, [
    ...arraysOf(cells, WIDTH),
    arrayOf(additions.map(({ cause: { at } }) => at)),
    arrayOf(additions.map(({ cause: { actor } }) => actor.keyId)),
  ]);
  return toPets(rows, pets, cells);
}

const cellsOfAll = (pets: readonly NewPet[]): (readonly Cell[])[] =>
  pets.map((pet) => INSERTION.complete(cellsOf(pet)));

function toPets(
  rows: readonly Row[],
  pets: readonly NewPet[],
  cells: readonly (readonly Cell[])[],
): Pet[] {
  return pets.map((pet, index) => {
    const row = rows[index];
    // The server returns the rows in the order of insertion. A client must never receive the id of another animal.
    if (
      row === undefined ||
      !FIELDS.every((field, column) => row[field] === cells[index]?.[column])
    ) {
      throw new Error('The server returned the added animals changed, or in another order.');
    }
    return { id: row['id'] as Int64, ...pet };
  });
}
