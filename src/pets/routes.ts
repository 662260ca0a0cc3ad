import { bulkWriting, inserting, reading, writing } from '../http/contract/handler.ts';
import { batchCreatePets, batchSavedAsIds, handleBatchCreatePets } from './batch-create-pets.ts';
import { createPet, insertPet } from './create-pet.ts';
import { deletePet, handleDeletePet } from './delete-pet.ts';
import { getPet, handleGetPet } from './get-pet.ts';
import { handleListPets, listPets } from './list-pets.ts';
import type { Pet } from './pet.ts';
import { handleUpdatePet, updatePet } from './update-pet.ts';

/** The first and the last animal of a batch. On PostgreSQL, ids of other requests may be in between. */
const rangeOf = (pets: readonly Pick<Pet, 'id'>[]): string => {
  const first = pets[0]?.id;
  const last = pets.at(-1)?.id;
  return first === last ? `pets/${first}` : `pets/${first}-${last}`;
};

export const petOperations = [
  reading(listPets, handleListPets),
  inserting(createPet, insertPet, (_, { body }) => `pets/${body.id}`),
  bulkWriting(batchCreatePets, handleBatchCreatePets, (_, { body }) => rangeOf(body), {
    sizeOf: ({ body }) => body.pets.length,
    savedBody: batchSavedAsIds,
  }),
  reading(getPet, handleGetPet),
  writing(updatePet, handleUpdatePet, ({ params }) => `pets/${params.petId}`),
  writing(deletePet, handleDeletePet, ({ params }) => `pets/${params.petId}`),
];
