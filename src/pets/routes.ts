import { reading, writing } from '../http/operation.ts';
import { createPet, handleCreatePet, isOneChange as isCreatingOneChange } from './create-pet.ts';
import { deletePet, handleDeletePet } from './delete-pet.ts';
import { getPet, handleGetPet } from './get-pet.ts';
import { handleListPets, listPets } from './list-pets.ts';
import { handleUpdatePet, updatePet } from './update-pet.ts';

/** The operations on animals. */
export const petOperations = [
  reading(listPets, handleListPets),
  writing(createPet, handleCreatePet, isCreatingOneChange),
  reading(getPet, handleGetPet),
  writing(updatePet, handleUpdatePet),
  writing(deletePet, handleDeletePet),
];
