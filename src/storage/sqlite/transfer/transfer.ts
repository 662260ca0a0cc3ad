import type { Database as Sqlite, Statement } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import type { Pet, PetStatus } from '../../../pets/pet.ts';
import type { CatalogueReplica, CatalogueSnapshot } from '../../../transfer/catalogue-copy.ts';
import {
  type CatalogueTransfer,
  IdTaken,
  type ImportedPet,
  type PetImport,
} from '../../../transfer/catalogue-transfer.ts';
import { PET_COLUMNS, type PetRow, toPet } from '../../rows.ts';
import { openForReading, openForWriting } from '../connections/connection.ts';
import { translating } from '../failures.ts';
import { ExactQuery, fromEngine } from '../statements/exact-query.ts';
import { PET_INTEGERS } from '../stores/pet-store.ts';
import { Writer } from '../transactions/writer.ts';
import { openReplica, openSnapshot } from './copy.ts';

const EXPORT_BATCH = 1_000;

/** Works on connections of its own, so that a long transfer shares no transaction with requests. */
export class SqliteTransfer implements CatalogueTransfer {
  constructor(readonly path: string) {}

  beginImport(): PetImport {
    return translating(() => new SqlitePetImport(openForWriting(this.path)));
  }

  openSnapshot(): CatalogueSnapshot {
    return openSnapshot(this.path);
  }

  openReplica(): CatalogueReplica {
    return openReplica(this.path);
  }

  async *exportPets(): AsyncGenerator<Pet[]> {
    const connection = translating(() => openForReading(this.path));
    try {
      const query = translating(() => {
        connection.run('BEGIN'); // one snapshot for all batches
        return new ExactQuery<PetRow>(
          connection,
          `SELECT ${PET_COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
          PET_INTEGERS,
        );
      });
      for (let afterId: Int64 = 0; ; ) {
        const batch = translating(() => query.all(afterId, EXPORT_BATCH)).map(toPet);
        const last = batch.at(-1);
        if (last === undefined) return;
        afterId = last.id;
        yield batch;
      }
    } finally {
      connection.close(true); // finalizes the query: otherwise the snapshot would stay open
    }
  }
}

/**
 * Rows wait in a temporary table, which belongs to this connection alone, and move to the
 * catalogue by one statement: the write lock is held for that moment only, however long the
 * file took to read.
 */
class SqlitePetImport implements PetImport {
  readonly #connection: Sqlite;
  readonly #highestId: Int64;
  readonly #stage: Statement<unknown, [Int64 | null, string, Int64, PetStatus | null]>;
  #keptIds = false;

  constructor(connection: Sqlite) {
    this.#connection = connection;
    this.#highestId = this.#readHighestId();
    connection.run(
      `CREATE TEMP TABLE staged (
        position INTEGER PRIMARY KEY,
        id INTEGER UNIQUE,
        name TEXT NOT NULL,
        category_id INTEGER NOT NULL,
        status TEXT
      ) STRICT`,
    );
    connection.run('BEGIN');
    this.#stage = connection.prepare(
      'INSERT INTO staged (id, name, category_id, status) VALUES (?, ?, ?, ?)',
    );
  }

  add(pets: readonly ImportedPet[]): ReadonlyMap<number, string> {
    const refused = new Map<number, string>();
    pets.forEach(({ id, name, categoryId, status }, place) => {
      const problem = id === undefined ? undefined : this.#whyNot(id);
      if (problem !== undefined) refused.set(place, problem);
      else translating(() => this.#stage.run(id ?? null, name, categoryId, status ?? null));
    });
    return refused;
  }

  async commit(): Promise<number> {
    try {
      translating(() => this.#connection.run('COMMIT'));
      const writer = new Writer(this.#connection);
      return await writer.write(() => this.#move());
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.#connection.close(true);
  }

  #move(): number {
    if (this.#keptIds && this.#readHighestId() !== this.#highestId) {
      throw new IdTaken('animals were added to the catalogue meanwhile: import the file again');
    }
    const insert = `INSERT INTO pets (id, name, category_id, status)
      SELECT id, name, category_id, status FROM staged ORDER BY position`;
    return this.#connection.run(insert).changes;
  }

  /** An id can be kept when it is beyond every id ever assigned, and not taken by an earlier row. */
  #whyNot(id: Int64): string | undefined {
    if (id <= this.#highestId) {
      return `the id ${id} may have been assigned before: only ids above ${this.#highestId} can be kept`;
    }
    const taken = translating(() =>
      this.#connection.query('SELECT 1 FROM staged WHERE id = ?').get(id),
    );
    if (taken !== null) return `the id ${id} stands twice in the file`;
    this.#keptIds = true;
    return undefined;
  }

  #readHighestId(): Int64 {
    const row = this.#connection
      .query<{ seq: bigint }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")
      .safeIntegers(true)
      .get();
    return row === null ? 0 : fromEngine(row.seq);
  }
}
