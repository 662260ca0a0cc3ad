import type { Database as Sqlite } from 'bun:sqlite';
import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetFilters } from '../../../pets/pet-filters.ts';
import type { Inventory, PetStore } from '../../../pets/pet-store.ts';
import { PETS } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { SqliteResourceStore } from './resource-store.ts';

export class SqlitePetStore
  extends SqliteResourceStore<Pet, NewPet, PetFilters>
  implements PetStore
{
  constructor(connection: Sqlite) {
    super(connection, PETS);
  }

  inventory(): Inventory {
    const sql = 'SELECT available, pending, sold, unset FROM pet_counts';
    const counts = translateReadErrors(this.connection, () =>
      this.connection.query<Inventory, []>(sql).get(),
    );
    if (counts === null) throw new Error('The table pet_counts is empty.');
    return counts;
  }
}
