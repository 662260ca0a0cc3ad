import type { Int64 } from '../../../int64.ts';
import type { Pet } from '../../../pets/pet.ts';
import type { CatalogueReplica, CatalogueSnapshot } from '../../../transfer/catalogue-copy.ts';
import {
  type CatalogueTransfer,
  IdTaken,
  type ImportedPet,
  type PetImport,
} from '../../../transfer/catalogue-transfer.ts';
import { PET_COLUMNS, type PetRow, toPet } from '../../rows.ts';
import type { Rows } from '../connections/connection.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { Session } from '../connections/session.ts';
import { arrayOf } from '../statements/page-query.ts';
import { openReplica, openSnapshot } from './copy.ts';

/** Works on connections of its own, so that a long transfer keeps none from requests. */
export class PostgresTransfer implements CatalogueTransfer {
  constructor(readonly options: ConnectionOptions) {}

  beginImport(): Promise<PetImport> {
    return Session.begin(this.options, 'READ COMMITTED', async (session) => {
      await session.run(
        `CREATE TEMPORARY TABLE staged (
          position bigint PRIMARY KEY,
          id bigint UNIQUE,
          name text NOT NULL,
          category_id bigint NOT NULL,
          status text
        ) ON COMMIT DROP`,
      );
      return new PostgresPetImport(session, await highestId(session));
    });
  }

  async *exportPets(): AsyncGenerator<Pet[]> {
    const session = await Session.begin(
      this.options,
      'REPEATABLE READ READ ONLY',
      async (begun) => begun,
    );
    try {
      const select = `SELECT ${PET_COLUMNS} FROM animal_store.pets ORDER BY id`;
      for await (const rows of session.stream<PetRow>(select)) yield rows.map(toPet);
    } finally {
      session.end();
    }
  }

  openSnapshot(): Promise<CatalogueSnapshot> {
    return openSnapshot(this.options);
  }

  openReplica(): Promise<CatalogueReplica> {
    return openReplica(this.options);
  }
}

/** The highest id ever assigned to an animal, 0 if none was. */
async function highestId(session: Session): Promise<Int64> {
  const [row] = await session.run<{ highest: Int64 }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS highest FROM animal_store.pets_id_seq',
  );
  return row?.highest ?? 0;
}

/** Rows wait in a temporary table, which belongs to this transaction alone, and move to the catalogue by one statement. */
class PostgresPetImport implements PetImport {
  #rows = 0;
  #keptIds = false;

  constructor(
    readonly session: Session,
    readonly highestId: Int64,
  ) {}

  async add(pets: readonly ImportedPet[]): Promise<ReadonlyMap<number, string>> {
    const refused = new Map<number, string>();
    const staged = pets.flatMap((pet, place) => {
      if (pet.id === undefined || pet.id > this.highestId) return [{ pet, place }];
      refused.set(
        place,
        `the id ${pet.id} may have been assigned before: only ids above ${this.highestId} can be kept`,
      );
      return [];
    });
    if (staged.length === 0) return refused;
    const column = (of: (pet: ImportedPet) => Int64 | string | null) =>
      arrayOf(staged.map(({ pet }) => of(pet)));
    const taken = await this.session.run<{ position: number }>(
      `INSERT INTO staged (position, id, name, category_id, status)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])
      ON CONFLICT (id) DO NOTHING RETURNING position`,
      [
        arrayOf(staged.map(({ place }) => this.#rows + place)),
        column(({ id }) => id ?? null),
        column(({ name }) => name),
        column(({ categoryId }) => categoryId),
        column(({ status }) => status ?? null),
      ],
    );
    if (taken.length < staged.length) {
      const positions = new Set(taken.map(({ position }) => position));
      for (const { pet, place } of staged) {
        if (!positions.has(this.#rows + place)) {
          refused.set(place, `the id ${pet.id} stands twice in the file`);
        }
      }
    }
    this.#rows += pets.length;
    this.#keptIds ||= staged.some(({ pet }) => pet.id !== undefined);
    return refused;
  }

  async commit(): Promise<number> {
    const { session } = this;
    try {
      const { count } = await (this.#keptIds ? this.#moveWithIds() : this.#move());
      await session.run('COMMIT');
      return count;
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.session.end();
  }

  #move(): Promise<Rows<unknown>> {
    return this.session.run(
      `INSERT INTO animal_store.pets (name, category_id, status)
      SELECT name, category_id, status FROM staged ORDER BY position`,
    );
  }

  /** Nobody else adds animals meanwhile: an id that was assigned since the beginning would be seen. */
  async #moveWithIds(): Promise<Rows<unknown>> {
    await this.session.run('LOCK TABLE animal_store.pets IN SHARE ROW EXCLUSIVE MODE');
    if ((await highestId(this.session)) !== this.highestId) {
      throw new IdTaken('animals were added to the catalogue meanwhile: import the file again');
    }
    const moved = await this.session.run(
      `INSERT INTO animal_store.pets (id, name, category_id, status)
      SELECT id, name, category_id, status FROM staged ORDER BY position`,
    );
    await this.session.run(
      `SELECT setval('animal_store.pets_id_seq', (SELECT max(id) FROM staged))`,
    );
    return moved;
  }
}
