import { reading, writing } from '../http/operation.ts';
import { createPet, handleCreatePet } from './create-pet.ts';
import { getPet, handleGetPet } from './get-pet.ts';
import { handleListPets, listPets } from './list-pets.ts';

/** The operations on animals. */
export const petOperations = [
  reading(listPets, handleListPets),
  writing(createPet, handleCreatePet),
  reading(getPet, handleGetPet),
];
