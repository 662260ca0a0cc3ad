import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { PETS } from '../../tables.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';
import { readPetCounts } from './pet-counts.ts';
import { PostgresResourceStore, resourceStatements } from './resource-store.ts';

export const PET_STATEMENTS = resourceStatements<Pet>(PETS);

export class PostgresPetStore
  extends PostgresResourceStore<Pet, NewPet, PetFilters>
  implements PetStore
{
  constructor(run: Run, lock: RowLock) {
    super(PET_STATEMENTS, run, lock);
  }

  inventory(): Promise<Inventory> {
    return readPetCounts(this.run);
  }
}
