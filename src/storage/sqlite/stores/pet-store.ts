import type { Database as Sqlite } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { PET_FILTER_COLUMNS } from '../../filter-columns.ts';
import { PET_COLUMNS, type PetRow, toPet } from '../../rows.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactInsert } from '../statements/exact-insert.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { after, conditionsFor, PageQueries } from '../statements/page-queries.ts';

export const PET_INTEGERS = ['id', 'categoryId'] as const;

/** There are four statuses, NULL included. */
const conditionsOf = conditionsFor(PET_FILTER_COLUMNS, { status: 0.25 });

export class SqlitePetStore implements PetStore {
  readonly #connection: Sqlite;
  readonly #pages: PageQueries<PetRow>;
  readonly #byId: ExactQuery<PetRow>;
  readonly #insert: ExactInsert;

  constructor(connection: Sqlite) {
    this.#connection = connection;
    this.#pages = new PageQueries(connection, `SELECT ${PET_COLUMNS} FROM pets`, PET_INTEGERS);
    this.#byId = new ExactQuery(
      connection,
      `SELECT ${PET_COLUMNS} FROM pets WHERE id = ?`,
      PET_INTEGERS,
    );
    this.#insert = new ExactInsert(connection, 'pets', ['name', 'category_id', 'status']);
  }

  list(filters: PetFilters, afterId: Int64 | undefined, count: number): Pet[] {
    const conditions = [...after(afterId), ...conditionsOf(filters)];
    return this.#pages.read(conditions, count).map(toPet);
  }

  get(id: Int64): Pet | undefined {
    const row = translateReadErrors(this.#connection, () => this.#byId.get(id));
    return row === null ? undefined : toPet(row);
  }

  create(pet: NewPet): Pet {
    return { id: this.#insert.run(rowOf(pet)), ...pet };
  }

  /** Adds animals in their order. If it throws, some may have been added: the caller rolls back. */
  createAll(pets: readonly NewPet[]): Pet[] {
    const ids = this.#insert.runAll(pets.map(rowOf));
    return pets.map((pet, index) => ({ id: ids[index] as Int64, ...pet }));
  }

  inventory(): Inventory {
    const sql = 'SELECT available, pending, sold, unset FROM pet_counts';
    const counts = translateReadErrors(this.#connection, () =>
      this.#connection.query<Inventory, []>(sql).get(),
    );
    if (counts === null) throw new Error('The table pet_counts is empty.');
    return counts;
  }

  replace({ id, name, categoryId, status }: Pet): void {
    this.#connection
      .query('UPDATE pets SET name = ?, category_id = ?, status = ? WHERE id = ?')
      .run(name, categoryId, status ?? null, id);
  }

  remove(id: Int64): void {
    this.#connection.query('DELETE FROM pets WHERE id = ?').run(id);
  }
}

const rowOf = ({ name, categoryId, status }: NewPet) => [name, categoryId, status ?? null];
