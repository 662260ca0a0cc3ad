import type { Database as Sqlite } from 'bun:sqlite';
import { foldText } from '../../../fold-text.ts';
import type { ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { type CategoryCounts, inventoriesIn } from '../../category-counts.ts';
import { firstIdOf } from '../../rows.ts';
import type { ReadSlice } from '../../search.ts';
import { PETS } from '../../tables.ts';
import { isIndexDamage, translateReadErrors } from '../failures.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { isIndexable, NameIndex } from './name-index.ts';
import { SqliteResourceStore } from './resource-store.ts';

const COUNTS = 'SELECT available, pending, sold, unset FROM pet_counts';

const COUNTS_OF_CATEGORIES = `SELECT category_id AS "categoryId", available, pending, sold, unset FROM category_counts
  WHERE category_id IN (SELECT value FROM json_each(?))`;

export class SqlitePetStore
  extends SqliteResourceStore<Pet, NewPet, PetFilters>
  implements PetStore
{
  readonly names: NameIndex;
  readonly #countsOfCategories: ExactQuery<CategoryCounts>;

  constructor(connection: Sqlite) {
    super(connection, PETS);
    this.names = new NameIndex(connection);
    this.#countsOfCategories = new ExactQuery(connection, COUNTS_OF_CATEGORIES, ['categoryId']);
  }

  protected override slicesFor(text: string, query: ListQuery): ReadSlice<Pet> {
    const { filters, sort } = query;
    const folded = foldText(text);
    // A short text has no trigram. A filter by ids selects few animals.
    if (!isIndexable(folded) || filters['id'] !== undefined) return super.slicesFor(text, query);
    const everyPet = super.slicesFor(text, query);
    return (afterId, size) => {
      const start = firstIdOf(afterId, sort);
      if (start === undefined) return { items: [], next: undefined };
      const found = this.#candidates(folded, sort, start, size);
      if (found === undefined) return everyPet(afterId, size);
      const items = this.page({ filters: { ...filters, id: found.ids }, sort }, undefined, size);
      return { items, next: found.last };
    };
  }

  /** Undefined if the index is damaged: the search then reads all animals. */
  #candidates(...parameters: Parameters<NameIndex['candidates']>) {
    try {
      return translateReadErrors(this.connection, () => this.names.candidates(...parameters));
    } catch (error) {
      if (error instanceof Error && isIndexDamage(error.cause)) return undefined;
      throw error;
    }
  }

  inventory(categoryId?: Int64): Inventory {
    const counts =
      categoryId === undefined
        ? translateReadErrors(this.connection, () =>
            this.connection.query<Inventory, []>(COUNTS).get(),
          )
        : this.inventoriesOf([categoryId])[0];
    if (!counts) throw new Error('The table pet_counts is empty.');
    return counts;
  }

  inventoriesOf(categoryIds: readonly Int64[]): Inventory[] {
    const rows = translateReadErrors(this.connection, () =>
      this.#countsOfCategories.all(`[${categoryIds.join()}]`),
    );
    return inventoriesIn(rows, categoryIds);
  }
}
