import { foldText } from '../../../fold-text.ts';
import type { ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { inventoriesIn } from '../../category-counts.ts';
import { type ReadSlice, slicesOf } from '../../search.ts';
import { PETS } from '../../tables.ts';
import { readCandidates } from '../statements/search-queries.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';
import { readCategoryCounts } from './category-counts.ts';
import { insertPets } from './insert-pets.ts';
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

  protected override slicesFor(text: string, query: ListQuery): ReadSlice<Pet> {
    // A filter by ids selects few animals.
    if (query.filters['id'] !== undefined) return super.slicesFor(text, query);
    const folded = foldText(text);
    return slicesOf(async (afterId, size) => {
      const rows = await readCandidates(this.run, PETS, folded, query, afterId, size);
      return rows.map(PET_STATEMENTS.toResource);
    });
  }

  createAll(pets: readonly NewPet[]): Promise<Pet[]> {
    return insertPets(this.run, pets);
  }

  async inventory(categoryId?: Int64): Promise<Inventory> {
    if (categoryId === undefined) return readPetCounts(this.run);
    const [counts] = await this.inventoriesOf([categoryId]);
    if (counts === undefined) throw new Error('The category has no counts.');
    return counts;
  }

  async inventoriesOf(categoryIds: readonly Int64[]): Promise<Inventory[]> {
    return inventoriesIn(await readCategoryCounts(this.run, categoryIds), categoryIds);
  }
}
