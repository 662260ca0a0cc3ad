import type { Database as Sqlite } from 'bun:sqlite';
import { foldText } from '../../../fold-text.ts';
import type { Asker } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { type CategoryCounts, inventoriesIn } from '../../category-counts.ts';
import { type CountSlice, countSlices, sliceRowsOf } from '../../search.ts';
import { COUNT_PETS } from '../../status-queries.ts';
import { resourceStatements, StoredResources } from '../../stores/resource-store.ts';
import { PETS } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import type { JsonRow } from '../statements/exact-insert.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import type { SqliteSql } from '../statements/sqlite-sql.ts';

const COUNTS_OF_CATEGORIES = `SELECT category_id AS "categoryId", available, pending, sold, unset FROM category_counts
  WHERE category_id IN (SELECT value FROM json_each(?))`;

const STATEMENTS = resourceStatements<Pet>(PETS, 'pet');

export class SqlitePetStore extends StoredResources<Pet, NewPet, PetFilters> implements PetStore {
  readonly #countsOfCategories: ExactQuery<CategoryCounts>;

  readonly connection: Sqlite;

  constructor(override readonly sql: SqliteSql) {
    super(STATEMENTS, sql);
    const { connection } = sql;
    this.connection = connection;
    this.#countsOfCategories = new ExactQuery(connection, COUNTS_OF_CATEGORIES, ['categoryId']);
  }

  createAll(pets: readonly NewPet[]): Pet[] {
    const added = this.addAll(pets);
    for (const pet of added) this.recordCreated(pet);
    return added;
  }

  /** Adds animals in their order, in one statement, and records nothing. */
  addAll(pets: readonly NewPet[]): Pet[] {
    const { insert, insertedOf } = this.statements;
    // No resource has bytes.
    const ids = this.sql.insertAll(insert, pets.map(insertedOf) as readonly JsonRow[]);
    return pets.map((pet, index) => ({ id: ids[index] as Int64, ...pet }));
  }

  inventory(categoryId?: Int64): Inventory {
    const counts =
      categoryId === undefined
        ? translateReadErrors(this.connection, () =>
            this.connection.query<Inventory, []>(COUNT_PETS).get(),
          )
        : this.inventoriesOf([categoryId])[0];
    if (!counts) throw new Error('The sum of the counts returned no row.');
    return counts;
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

  inventoriesOf(categoryIds: readonly Int64[]): Inventory[] {
    const rows = translateReadErrors(this.connection, () =>
      this.#countsOfCategories.all(`[${categoryIds.join()}]`),
    );
    return inventoriesIn(rows, categoryIds);
  }
}
