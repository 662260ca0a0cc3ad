import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite';
import type { Int64 } from '../../int64.ts';
import type { NewPet, Pet, PetStatus } from '../../pets/pet.ts';
import type { PetFilters, PetStore } from '../../pets/pet-store.ts';
import { ExactQuery, fromEngine } from './exact-query.ts';
import { translating } from './failures.ts';

export interface PetRow {
  id: Int64;
  name: string;
  categoryId: Int64;
  status: PetStatus | null;
}

export const PET_COLUMNS = 'id, name, category_id AS categoryId, status';
export const PET_INTEGERS = ['id', 'categoryId'] as const;

/** A pet without a status has no such field. */
export const toPet = (row: PetRow): Pet =>
  row.status === null
    ? { id: row.id, name: row.name, categoryId: row.categoryId }
    : (row as PetRow & { status: PetStatus });

export class SqlitePetStore implements PetStore {
  readonly #connection: Sqlite;
  readonly #lists = new Map<string, ExactQuery<PetRow>>();
  readonly #byId: ExactQuery<PetRow>;
  readonly #insert: Statement<{ id: bigint }, [string, Int64, PetStatus | null]>;

  constructor(connection: Sqlite) {
    this.#connection = connection;
    this.#byId = new ExactQuery(
      connection,
      `SELECT ${PET_COLUMNS} FROM pets WHERE id = ?`,
      PET_INTEGERS,
    );
    this.#insert = connection
      .prepare<{ id: bigint }, [string, Int64, PetStatus | null]>(
        'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id',
      )
      .safeIntegers(true);
  }

  list({ status, ids }: PetFilters, afterId: Int64, count: number): Pet[] {
    const conditions = ['id > ?'];
    const params: SQLQueryBindings[] = [afterId];
    if (status !== undefined) {
      conditions.push('status = ?');
      params.push(status);
    }
    if (ids !== undefined) {
      conditions.push('id IN (SELECT value FROM json_each(?))');
      params.push(`[${ids.join()}]`);
    }
    return translating(() => this.#listQuery(conditions.join(' AND ')).all(...params, count)).map(
      toPet,
    );
  }

  get(id: Int64): Pet | undefined {
    const row = translating(() => this.#byId.get(id));
    return row === null ? undefined : toPet(row);
  }

  create(pet: NewPet): Pet {
    const row = this.#insert.get(pet.name, pet.categoryId, pet.status ?? null);
    if (row === null) throw new Error('The insert returned no id.');
    return { id: fromEngine(row.id), ...pet };
  }

  /** Prepared once for each combination of filters. */
  #listQuery(conditions: string): ExactQuery<PetRow> {
    const known = this.#lists.get(conditions);
    if (known) return known;
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${conditions} ORDER BY id LIMIT ?`;
    const query = new ExactQuery<PetRow>(this.#connection, sql, PET_INTEGERS);
    this.#lists.set(conditions, query);
    return query;
  }
}
