import type { Changes, SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import type { JsonRow } from '../../sql.ts';
import { toInt64 } from './exact-query.ts';

type Row = readonly SQLQueryBindings[];

/** The most rows of one statement with a parameter for each value. */
const MAX_ROWS = 32;

/**
 * Inserts rows, and returns their ids, exactly. SQLite returns the id of the last row of a statement, and assigns
 * consecutive ids within it; `RETURNING` would take longer.
 */
export class ExactInsert {
  readonly #connection: Sqlite;
  readonly #columns: number;
  readonly #into: string;
  readonly #conflict: string;
  readonly #placeholders: string;
  /** By the number of rows, a power of two. */
  readonly #statements = new Map<number, Statement<unknown, SQLQueryBindings[]>>();
  #ofAll: Statement<unknown, [string]> | undefined;

  /** @param conflict what to do with a row that cannot be added. */
  constructor(connection: Sqlite, table: string, columns: readonly string[], conflict = '') {
    this.#connection = connection;
    this.#columns = columns.length;
    this.#conflict = conflict;
    this.#into = `INSERT INTO ${table} (${columns.join(', ')})`;
    this.#placeholders = `(${columns.map(() => '?').join(', ')})`;
  }

  run(row: Row): Int64 {
    return toInt64(this.#insert([row]).lastInsertRowid as bigint);
  }

  /**
   * Inserts rows without ids of their own in their order, in a transaction of the caller. One statement inserts all: within a
   * savepoint, each statement copies the pages that it changes once more. 1,000 animals take less than half of the time of
   * statements of 32 rows.
   */
  runAll(rows: readonly JsonRow[]): Int64[] {
    if (rows.length === 0) return [];
    this.#ofAll ??= this.#prepareAll();
    const last = this.#ofAll.run(toJson(rows)).lastInsertRowid as bigint;
    const first = last - BigInt(rows.length - 1);
    return rows.map((_row, index) => toInt64(first + BigInt(index)));
  }

  /** Inserts rows in their order, in a transaction of the caller. Returns how many. */
  insertAll(rows: readonly Row[]): number {
    let count = 0;
    for (const group of inGroups(rows)) count += Number(this.#insert(group).changes);
    return count;
  }

  #insert(rows: readonly Row[]): Changes {
    return this.#statementFor(rows.length).run(...rows.flat());
  }

  #statementFor(size: number): Statement<unknown, SQLQueryBindings[]> {
    let statement = this.#statements.get(size);
    if (statement === undefined) {
      const values = Array.from({ length: size }, () => this.#placeholders).join(', ');
      statement = this.#connection.prepare<unknown, SQLQueryBindings[]>(
        `${this.#into} VALUES ${values} ${this.#conflict}`,
      );
      statement.safeIntegers(true);
      this.#statements.set(size, statement);
    }
    return statement;
  }

  #prepareAll(): Statement<unknown, [string]> {
    const values = Array.from({ length: this.#columns }, (_, index) => `value ->> ${index}`);
    const sql = `${this.#into} SELECT ${values.join(', ')} FROM json_each(?)`;
    return this.#connection.prepare<unknown, [string]>(sql).safeIntegers(true);
  }
}

/** The rows as JSON, in which bigints are text: a column for integers converts it exactly. */
export const toJson = (rows: readonly JsonRow[]): string =>
  JSON.stringify(
    rows.map((row) => row.map((value) => (typeof value === 'bigint' ? String(value) : value))),
  );

/** Divides rows into groups of 32, then 16, 8 and so on. All sizes are powers of two, so few statements are needed. */
function inGroups(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let size = MAX_ROWS;
  for (let start = 0; start < rows.length; start += size) {
    while (size > rows.length - start) size /= 2;
    groups.push(rows.slice(start, start + size));
  }
  return groups;
}
