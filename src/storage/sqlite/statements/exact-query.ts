import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite';
import { type Int64, int64FromBigInt } from '../../../int64.ts';

/**
 * A query whose integer columns are exact. The engine reads plain numbers, which is fast, and
 * rounds those beyond 2^53, which then are no longer safe integers: only when a row shows one,
 * the query is read again as bigints. For reading only, since it may run twice.
 */
export class ExactQuery<Row extends object> {
  readonly #fast: Statement<Row, SQLQueryBindings[]>;
  readonly #exact: Statement<Row, SQLQueryBindings[]>;
  readonly #integers: readonly (keyof Row)[];

  constructor(connection: Sqlite, sql: string, integers: readonly (keyof Row)[]) {
    this.#fast = connection.prepare<Row, SQLQueryBindings[]>(sql);
    this.#exact = connection.prepare<Row, SQLQueryBindings[]>(sql).safeIntegers(true);
    this.#integers = integers;
  }

  all(...params: SQLQueryBindings[]): Row[] {
    const rows = this.#fast.all(...params);
    let isRounded = false;
    for (const row of rows) isRounded ||= this.#wasRounded(row);
    if (!isRounded) return rows;
    return this.#exact.all(...params).map((row) => this.#normalise(row));
  }

  get(...params: SQLQueryBindings[]): Row | null {
    const row = this.#fast.get(...params);
    if (row === null || !this.#wasRounded(row)) return row;
    const exact = this.#exact.get(...params);
    return exact && this.#normalise(exact);
  }

  #wasRounded(row: Row): boolean {
    for (const column of this.#integers) if (!Number.isSafeInteger(row[column])) return true;
    return false;
  }

  /** Reading exactly makes every integer a bigint, small ones and other columns too. */
  #normalise(row: Row): Row {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'bigint') row[column as keyof Row] = fromEngine(value) as Row[keyof Row];
    }
    return row;
  }
}

export type ExactInsert = (...values: SQLQueryBindings[]) => Int64;

/**
 * Prepares the INSERT of one row. Running it gives the id that the engine assigned, exactly.
 * `RETURNING` would do the same in one and a half times the time.
 */
export function exactInsert(connection: Sqlite, sql: string): ExactInsert {
  const insert = connection.prepare<unknown, SQLQueryBindings[]>(sql).safeIntegers(true);
  return (...values) => fromEngine(insert.run(...values).lastInsertRowid as bigint);
}

/** An integer that the engine returned as a bigint: it has no others than 64 bits. */
export const fromEngine = (value: bigint): Int64 => int64FromBigInt(value) ?? value;
