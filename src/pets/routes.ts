import { bulkWriting, reading, writing } from '../http/contract/handler.ts';
import { batchCreatePets, batchSavedAsIds, handleBatchCreatePets } from './batch-create-pets.ts';
import { createPet, createPetBlindly, handleCreatePet } from './create-pet.ts';
import { deletePet, handleDeletePet } from './delete-pet.ts';
import { getPet, handleGetPet } from './get-pet.ts';
import { handleListPets, listPets } from './list-pets.ts';
import { handleUpdatePet, updatePet } from './update-pet.ts';

/** The operations on animals. */
export const petOperations = [
  reading(listPets, handleListPets),
  writing(createPet, handleCreatePet, createPetBlindly),
  bulkWriting(batchCreatePets, handleBatchCreatePets, {
    sizeOf: ({ body }) => body.pets.length,
    savedBody: batchSavedAsIds,
  }),
  reading(getPet, handleGetPet),
  writing(updatePet, handleUpdatePet),
  writing(deletePet, handleDeletePet),
];
