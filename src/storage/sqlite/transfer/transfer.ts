import type { Database as Sqlite } from 'bun:sqlite';
import type { Cause } from '../../../events/cause.ts';
import type { Int64 } from '../../../int64.ts';
import type { Pet } from '../../../pets/pet.ts';
import type { CatalogueSource, CatalogueWriter } from '../../../transfer/catalogue-copy.ts';
import type {
  CatalogueTransfer,
  ImportedPet,
  PetImport,
} from '../../../transfer/catalogue-transfer.ts';
import { addedInBetween, assignedBefore, occursTwice } from '../../import-refusals.ts';
import { insertionOf } from '../../insertion.ts';
import { importEventOf } from '../../recording.ts';
import {
  columnOf,
  fieldsOf,
  int64FieldsOf,
  type Row,
  resourceOf,
  selectListOf,
  valuesOf,
} from '../../rows.ts';
import { type ColumnType, PETS } from '../../tables.ts';
import { openForReading, openForWriting } from '../connections/connection.ts';
import { translateErrors } from '../failures.ts';
import { appendEvents } from '../statements/append-events.ts';
import { ExactInsert } from '../statements/exact-insert.ts';
import { ExactQuery, toInt64 } from '../statements/exact-query.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';
import { Writer, type WriterOptions } from '../transactions/writer.ts';
import { inBulk } from './bulk-insert.ts';
import { openSource, openWriter } from './copy.ts';

/** What an import checks when it commits. */
type Checks = Pick<WriterOptions, 'check' | 'confirm'>;

const EXPORT_BATCH_SIZE = 1_000;

const TYPES: Readonly<Record<ColumnType, string>> = {
  int64: 'INTEGER',
  integer: 'INTEGER',
  time: 'INTEGER',
  text: 'TEXT',
  bytes: 'BLOB',
};

/** The threads that help SQLite to sort the entries of an index, if it is built anew. */
const SORTING_THREADS = 2;

const FIELDS = fieldsOf(PETS);
const STORED = insertionOf(PETS, FIELDS);
const COLUMNS = STORED.columns.join(', ');
const cellsOf = valuesOf(PETS, FIELDS);
const toPet = resourceOf<Pet>(PETS);

/** The columns of the staging table. A row has an id only if the import keeps it. */
const STAGED_COLUMNS = STORED.columns.map((column, index) => {
  const field = FIELDS[index];
  if (field === undefined) return `${column} TEXT NOT NULL`;
  const { type, isNullable } = columnOf(PETS, field);
  return `${column} ${TYPES[type]} ${isNullable || field === 'id' ? '' : 'NOT NULL'}`;
});

/** Each transfer has its own connection, so that it shares no transaction with requests. */
export class SqliteTransfer implements CatalogueTransfer {
  constructor(
    readonly path: string,
    readonly checks: Checks,
  ) {}

  beginImport(cause: Cause): PetImport {
    return translateErrors(
      () => new SqlitePetImport(openForWriting(this.path), this.checks, cause),
    );
  }

  openSource(): CatalogueSource {
    return openSource(this.path);
  }

  openWriter(): CatalogueWriter {
    return openWriter(this.path);
  }

  async *exportPets(): AsyncGenerator<Pet[]> {
    const connection = translateErrors(() => openForReading(this.path));
    try {
      const query = translateErrors(() => {
        connection.run('BEGIN'); // one snapshot for all batches
        return new ExactQuery<Row>(
          connection,
          `SELECT ${selectListOf(PETS)} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
          int64FieldsOf(PETS),
        );
      });
      for (let afterId: Int64 = 0; ; ) {
        const batch = translateErrors(() => query.all(afterId, EXPORT_BATCH_SIZE)).map(toPet);
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
 * Stages rows in a temporary table of this connection, and copies them to the catalogue by one
 * statement: only that statement needs the write lock, not the reading of the file.
 */
class SqlitePetImport implements PetImport {
  readonly #connection: Sqlite;
  readonly #highestId: Int64;
  readonly #insert: ExactInsert;
  #staged = 0;
  #hasIds = false;

  constructor(
    connection: Sqlite,
    readonly checks: Checks,
    readonly cause: Cause,
  ) {
    this.#connection = connection;
    connection.run(`PRAGMA threads = ${SORTING_THREADS}`);
    this.#highestId = this.#readHighestId();
    connection.run(
      `CREATE TEMP TABLE staged (position INTEGER PRIMARY KEY, ${STAGED_COLUMNS.join(', ')}) STRICT`,
    );
    connection.run('CREATE UNIQUE INDEX temp.staged_by_id ON staged (id) WHERE id IS NOT NULL');
    connection.run('BEGIN');
    this.#insert = new ExactInsert(connection, 'staged', STORED.columns);
  }

  add(pets: readonly ImportedPet[]): ReadonlyMap<number, string> {
    const refused = new Map<number, string>();
    const rows: Parameters<ExactInsert['run']>[0][] = [];
    for (const [index, pet] of pets.entries()) {
      const { id } = pet;
      const problem = id === undefined ? undefined : this.#refusalOf(id);
      if (problem !== undefined) {
        refused.set(index, problem);
        continue;
      }
      const row = STORED.complete(cellsOf(pet));
      if (id === undefined) rows.push(row);
      // Immediately, so that the next row cannot have the same id.
      else translateErrors(() => this.#insert.run(row));
      this.#staged += 1;
    }
    translateErrors(() => this.#insert.insertAll(rows));
    return refused;
  }

  async commit(): Promise<number> {
    try {
      translateErrors(() => this.#connection.run('COMMIT'));
      const writer = new Writer(this.#connection, this.checks);
      return await writer.write(() => this.#insertPets());
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.#connection.close(true);
  }

  #insertPets(): number {
    if (this.#hasIds && this.#readHighestId() !== this.#highestId) {
      throw addedInBetween();
    }
    const highestBefore = this.#readHighestId();
    const count = inBulk(this.#connection, this.#staged, () => {
      const insert = `INSERT INTO pets (${COLUMNS}) SELECT ${COLUMNS} FROM staged ORDER BY position`;
      return this.#connection.run(insert).changes;
    });
    this.#record(count, highestBefore);
    return count;
  }

  /** All added ids are higher than those before, and no other transaction has added one in between. */
  #record(count: number, highestBefore: Int64): void {
    const sql = 'SELECT min(id) AS "firstId", max(id) AS "lastId" FROM pets WHERE id > ?';
    const ids = new ExactQuery<{ firstId: Int64; lastId: Int64 }>(this.#connection, sql, [
      'firstId',
      'lastId',
    ]).get(highestBefore);
    const event = ids && importEventOf('pets', { count, ...ids }, this.cause);
    if (event) appendEvents(new SqliteSql(this.#connection), [event]);
  }

  /** Why an id cannot be kept: it must be higher than every id ever assigned, and unique in the file. */
  #refusalOf(id: Int64): string | undefined {
    if (id <= this.#highestId) return assignedBefore(id, this.#highestId);
    const taken = translateErrors(() =>
      this.#connection.query('SELECT 1 FROM staged WHERE id = ?').get(id),
    );
    if (taken !== null) return occursTwice(id);
    this.#hasIds = true;
    return undefined;
  }

  #readHighestId(): Int64 {
    const row = this.#connection
      .query<{ seq: bigint }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")
      .safeIntegers(true)
      .get();
    return row === null ? 0 : toInt64(row.seq);
  }
}
