import type { Inventory } from '../../categories/inventory.ts';
import { foldText } from '../../fold-text.ts';
import type { Asker } from '../../http/contract/list-query.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import type { NewPet, Pet } from '../../pets/pet.ts';
import type { PetFilters } from '../../pets/pet-filters.ts';
import type { PetStore } from '../../pets/pet-store.ts';
import { SUMS } from '../category-counts.ts';
import { type CountSlice, countSlices, sliceRowsOf } from '../search.ts';
import { type Addition, type Sql, Statement } from '../sql.ts';
import { PETS } from '../tables.ts';
import { resourceStatements, StoredResources } from './resource-store.ts';

const STATEMENTS = resourceStatements<Pet>(PETS, 'pet');

const ALL_COUNTS = new Statement<Inventory>(
  ({ table }) => `SELECT ${SUMS} FROM ${table('category_counts')}`,
);

/** The counts of a category. One without animals has none. */
interface CategoryCounts extends Inventory {
  readonly categoryId: Int64;
}

const COUNTS = new Statement<CategoryCounts>(
  ({ table, countsOf }) => `SELECT category_id AS "categoryId", ${SUMS}
    FROM ${table('category_counts')} WHERE ${countsOf('$1')} GROUP BY category_id`,
  ['categoryId'],
);

const NO_ANIMALS: Inventory = { available: 0, pending: 0, sold: 0, unset: 0 };

export type PetAddition = Addition<NewPet>;

export class StoredPets extends StoredResources<Pet, NewPet, PetFilters> implements PetStore {
  constructor(sql: Sql) {
    super(STATEMENTS, sql);
  }

  createAll(pets: readonly NewPet[]): MaybePromise<Pet[]> {
    const { insert, insertedOf } = this.statements;
    return chain(this.sql.insertAll(insert, pets.map(insertedOf)), (ids) =>
      pets.map((pet, index) => {
        const created = { id: ids[index] as Int64, ...pet };
        this.recordCreated(created);
        return created;
      }),
    );
  }

  /** Adds animals of different requests, in their order, and an event of each. */
  createFor(additions: readonly PetAddition[]): MaybePromise<Pet[]> {
    const { insert, insertedOf } = this.statements;
    const rows = additions.map(({ resource }) => insertedOf(resource));
    return this.sql.insertAndRecord(insert, rows, 'pet.created', additions);
  }

  inventory(categoryId?: Int64): MaybePromise<Inventory> {
    const counts =
      categoryId === undefined
        ? this.sql.find(ALL_COUNTS)
        : chain(this.inventoriesOf([categoryId]), ([counted]) => counted);
    return chain(counts, (found) => {
      if (found === undefined) throw new Error('The sum of the counts returned no row.');
      return found;
    });
  }

  inventoryOfNames(
    name: string,
    categoryId: Int64 | undefined,
    asker?: Asker,
  ): MaybePromise<Inventory> {
    const { lists } = this.statements;
    const term = foldText(name);
    const query = { filters: { categoryId }, sort: 'id' } as const;
    const count: CountSlice = (request) => lists.count(this.sql, term, query, request);
    return countSlices(this.sql.searches, count, asker, sliceRowsOf(query));
  }

  inventoriesOf(categoryIds: readonly Int64[]): MaybePromise<Inventory[]> {
    if (categoryIds.length === 0) return [];
    return chain(this.sql.read(COUNTS, this.sql.listOf(categoryIds)), (rows) => {
      const found = new Map(rows.map(({ categoryId, ...counts }) => [categoryId, counts]));
      return categoryIds.map((id) => found.get(id) ?? NO_ANIMALS);
    });
  }
}
