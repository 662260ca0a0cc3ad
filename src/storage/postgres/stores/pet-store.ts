import { foldText } from '../../../fold-text.ts';
import type { Asker } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { inventoriesIn } from '../../category-counts.ts';
import { type CountSlice, countSlices, sliceRowsOf } from '../../search.ts';
import { resourceStatements, StoredResources } from '../../stores/resource-store.ts';
import { PETS } from '../../tables.ts';
import type { PostgresSql } from '../statements/postgres-sql.ts';
import type { Run } from '../transactions/transactions.ts';
import { readCategoryCounts, readInventory } from './category-counts.ts';
import { insertPets } from './insert-pets.ts';

export const PET_STATEMENTS = resourceStatements<Pet>(PETS, 'pet');

export class PostgresPetStore extends StoredResources<Pet, NewPet, PetFilters> implements PetStore {
  readonly run: Run;

  constructor(sql: PostgresSql) {
    super(PET_STATEMENTS, sql);
    this.run = sql.run;
  }

  async createAll(pets: readonly NewPet[]): Promise<Pet[]> {
    const added = await insertPets(this.run, pets);
    for (const pet of added) this.recordCreated(pet);
    return added;
  }

  async inventory(categoryId?: Int64): Promise<Inventory> {
    if (categoryId === undefined) return readInventory(this.run);
    const [counts] = await this.inventoriesOf([categoryId]);
    if (counts === undefined) throw new Error('The category has no counts.');
    return counts;
  }

  async inventoryOfNames(
    name: string,
    categoryId: Int64 | undefined,
    asker?: Asker,
  ): Promise<Inventory> {
    const { lists } = this.statements;
    const term = foldText(name);
    const query = { filters: { categoryId }, sort: 'id' } as const;
    const count: CountSlice = (request) => lists.count(this.sql, term, query, request);
    return countSlices(this.sql.searches, count, asker, sliceRowsOf(query));
  }

  async inventoriesOf(categoryIds: readonly Int64[]): Promise<Inventory[]> {
    return inventoriesIn(await readCategoryCounts(this.run, categoryIds), categoryIds);
  }
}
