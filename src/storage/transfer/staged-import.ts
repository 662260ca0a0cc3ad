import type { Cause } from '../../events/cause.ts';
import { type Int64, int64FromBigInt } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { runSteps, type Steps, wait } from '../../steps.ts';
import { IdTaken, type ImportedPet, type PetImport } from '../../transfer/catalogue-transfer.ts';
import { insertionOf } from '../insertion.ts';
import { type CellRow, fieldsOf, insertedFieldsOf, valuesOf } from '../rows.ts';
import { type Sql, Statement } from '../sql.ts';
import { type ColumnType, PETS } from '../tables.ts';

const STORED = insertionOf(PETS, fieldsOf(PETS));
const cellsOf = valuesOf(PETS, STORED.fields);

/** The columns of the temporary table `staged`. A row has an id only if the import keeps it. */
export const STAGED = {
  columns: ['position', ...STORED.columns],
  types: ['integer', ...STORED.types] as readonly ColumnType[],
  /** The columns without the position, as both engines define them. */
  definitions: STORED.columns
    .map((column, index) => `${column} ${STORED.types[index] === 'text' ? 'text' : 'bigint'}`)
    .join(', '),
};

const HIGHEST_ID = new Statement<{ highest: Int64 }>(
  ({ highestId }) => `SELECT ${highestId('pets')} AS highest`,
  ['highest'],
);
const STAGED_FROM = new Statement<{ position: number }>(
  () => 'SELECT position FROM staged WHERE position >= $1',
);
const KEPT_IDS = new Statement<{ firstId: Int64; lastId: Int64 }>(
  () => 'SELECT min(id) AS "firstId", max(id) AS "lastId" FROM staged',
  ['firstId', 'lastId'],
);

const addingOf = (columns: readonly string[]): Statement =>
  new Statement(({ table }) => {
    const list = columns.join(', ');
    return `INSERT INTO ${table('pets')} (${list}) SELECT ${list} FROM staged ORDER BY position`;
  });

const ADD = addingOf(insertionOf(PETS, insertedFieldsOf(PETS)).columns);
const ADD_WITH_IDS = addingOf(STORED.columns);

/** What an engine does for an import, on a connection of its own. Its table `staged` is empty. */
export interface Staging {
  readonly sql: Sql;
  /** Stages rows, except those with an id that an earlier one has. Returns how many it has staged. */
  add(rows: readonly CellRow[]): MaybePromise<number>;
  /**
   * Does work that adds the staged animals, in one transaction. Resolves when they are durable.
   * @param cause is asked for late, so that the times of events ascend.
   * @param keepsIds whether the animals keep their ids. Nobody else adds animals then until the end of the transaction.
   */
  commit(
    cause: () => Cause,
    keepsIds: boolean,
    work: (sql: Sql) => MaybePromise<number>,
  ): Promise<number>;
  /** Runs the statement that adds the staged animals. Returns how many. @param staged their number. */
  addAll(statement: Statement, staged: number): MaybePromise<number>;
  close(): void;
}

/** Stages rows in a temporary table, and copies them to the catalogue by one statement: only that statement blocks others. */
export class StagedImport implements PetImport {
  #rows = 0;
  #staged = 0;
  #keepsIds = false;

  static begin(staging: Staging, cause: () => Cause): MaybePromise<PetImport> {
    return chain(highestIdIn(staging.sql), (id) => new StagedImport(staging, id, cause));
  }

  private constructor(
    readonly staging: Staging,
    readonly highestId: Int64,
    readonly cause: () => Cause,
  ) {}

  add(pets: readonly ImportedPet[]): MaybePromise<ReadonlyMap<number, string>> {
    const refused = new Map<number, string>();
    const rows: CellRow[] = [];
    const first = this.#rows;
    for (const [index, pet] of pets.entries()) {
      if (pet.id !== undefined && pet.id <= this.highestId)
        refused.set(index, assignedBefore(pet.id, this.highestId));
      else rows.push([first + index, ...STORED.complete(cellsOf(pet))]);
      this.#keepsIds ||= pet.id !== undefined;
    }
    this.#rows += pets.length;
    if (rows.length === 0) return refused;
    return chain(this.staging.add(rows), (count) => {
      this.#staged += count;
      if (count === rows.length) return refused;
      return chain(this.staging.sql.read(STAGED_FROM, first), (found) => {
        const positions = new Set(found.map(({ position }) => position));
        for (const [position, id] of rows as [number, Int64][])
          if (!positions.has(position))
            refused.set(position - first, `the id ${id} occurs twice in the file`);
        return refused;
      });
    });
  }

  async commit(): Promise<number> {
    try {
      return await this.staging.commit(this.cause, this.#keepsIds, (sql) =>
        runSteps(this.#addAll(sql)),
      );
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.staging.close();
  }

  /**
   * On PostgreSQL, others may add animals at the same time, so the recorded range can contain some of theirs. A role that only imports may
   * not read animals.
   */
  *#addAll(sql: Sql): Steps<number> {
    const before = yield* wait(highestIdIn(sql));
    if (this.#keepsIds && before !== this.highestId)
      throw new IdTaken(
        'animals were added to the catalogue during the import: import the file again',
      );
    const statement = this.#keepsIds ? ADD_WITH_IDS : ADD;
    const count = yield* wait(this.staging.addAll(statement, this.#staged));
    const firstId = int64FromBigInt(BigInt(before) + 1n) ?? before;
    const ids = this.#keepsIds
      ? yield* wait(sql.find(KEPT_IDS))
      : { firstId, lastId: yield* wait(highestIdIn(sql)) };
    if (ids) sql.recording?.addImport('pets', { count, ...ids });
    return count;
  }
}

const highestIdIn = (sql: Sql): MaybePromise<Int64> =>
  chain(sql.find(HIGHEST_ID), (row) => row?.highest ?? 0);

const assignedBefore = (id: Int64, highestId: Int64): string =>
  `the id ${id} may have been assigned before: only ids above ${highestId} can be kept`;
