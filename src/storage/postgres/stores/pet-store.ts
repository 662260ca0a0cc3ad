import { foldText } from '../../../fold-text.ts';
import type { Asker, ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { inventoriesIn } from '../../category-counts.ts';
import { type CountSlice, countSlices, type ReadSlice, sliceRowsOf } from '../../search.ts';
import { resourceStatements, StoredResources } from '../../stores/resource-store.ts';
import { PETS } from '../../tables.ts';
import { countNameSlice, readNameSlice } from '../statements/name-slices.ts';
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

  protected override slicesFor(term: string, query: ListQuery): ReadSlice<Pet> {
    // A filter by ids selects few animals.
    if (query.filters['id'] !== undefined) return super.slicesFor(term, query);
    return async (request) => {
      const { items, next } = await readNameSlice(this.run, term, query, request);
      return { items: items.map(PET_STATEMENTS.toResource), next };
    };
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
    const term = foldText(name);
    const count: CountSlice = (request) => countNameSlice(this.run, term, categoryId, request);
    return countSlices(
      this.sql.searches,
      count,
      asker,
      sliceRowsOf({ filters: { categoryId }, sort: 'id' }),
    );
  }

  async inventoriesOf(categoryIds: readonly Int64[]): Promise<Inventory[]> {
    return inventoriesIn(await readCategoryCounts(this.run, categoryIds), categoryIds);
  }
}
