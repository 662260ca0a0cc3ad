import type { Int64 } from '../../../int64.ts';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { PET_FILTER_COLUMNS } from '../../filter-columns.ts';
import { PET_COLUMNS, type PetRow, toPet } from '../../rows.ts';
import { readPages } from '../statements/page-queries.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';
import { readPetCounts } from './pet-counts.ts';

export const SELECT_PETS = `SELECT ${PET_COLUMNS} FROM animal_store.pets`;

export class PostgresPetStore implements PetStore {
  constructor(
    readonly run: Run,
    readonly lock: RowLock,
  ) {}

  async list(filters: PetFilters, afterId: Int64 | undefined, count: number): Promise<Pet[]> {
    return (await this.listPages(filters, [afterId], count)).flat();
  }

  /** Reads several pages of one list. Each starts after one of the ids in `starts`. */
  protected async listPages(
    filters: PetFilters,
    starts: readonly (Int64 | undefined)[],
    count: number,
  ): Promise<Pet[][]> {
    const pages = await readPages<PetRow, PetFilters>(
      this.run,
      SELECT_PETS,
      filters,
      PET_FILTER_COLUMNS,
      starts,
      count,
    );
    // New objects, without additional columns.
    return pages.map((page) =>
      page.map(({ id, name, categoryId, status }) => toPet({ id, name, categoryId, status })),
    );
  }

  async get(id: Int64): Promise<Pet | undefined> {
    const [row] = await this.run<PetRow>(`${SELECT_PETS} WHERE id = $1 ${this.lock}`, [id]);
    return row && toPet(row);
  }

  async create(pet: NewPet): Promise<Pet> {
    const [row] = await this.run<{ id: Int64 }>(
      'INSERT INTO animal_store.pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id',
      [pet.name, pet.categoryId, pet.status ?? null],
    );
    if (row === undefined) throw new Error('The insert returned no id.');
    return { id: row.id, ...pet };
  }

  inventory(): Promise<Inventory> {
    return readPetCounts(this.run);
  }

  async replace({ id, name, categoryId, status }: Pet): Promise<void> {
    await this.run(
      'UPDATE animal_store.pets SET name = $1, category_id = $2, status = $3 WHERE id = $4',
      [name, categoryId, status ?? null, id],
    );
  }

  async remove(id: Int64): Promise<void> {
    await this.run('DELETE FROM animal_store.pets WHERE id = $1', [id]);
  }
}
