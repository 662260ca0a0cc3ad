import { reading, writing } from '../http/contract/handler.ts';
import { createPet, createPetBlindly, handleCreatePet } from './create-pet.ts';
import { deletePet, handleDeletePet } from './delete-pet.ts';
import { getPet, handleGetPet } from './get-pet.ts';
import { handleListPets, listPets } from './list-pets.ts';
import { handleUpdatePet, updatePet } from './update-pet.ts';

/** The operations on animals. */
export const petOperations = [
  reading(listPets, handleListPets),
  writing(createPet, handleCreatePet, createPetBlindly),
  reading(getPet, handleGetPet),
  writing(updatePet, handleUpdatePet),
  writing(deletePet, handleDeletePet),
];
