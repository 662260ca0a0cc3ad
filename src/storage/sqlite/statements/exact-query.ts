import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite';
import { type Int64, int64FromBigInt } from '../../../int64.ts';
import type { Cell } from '../../rows.ts';

/**
 * A query that returns exact integers. It first reads plain numbers, which is fast, but rounds integers beyond 2^53. Only if a
 * row contains such an unsafe integer, it runs again with bigints. Only for SELECT: it may run twice.
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
    let isUnsafe = false;
    for (const row of rows) isUnsafe ||= this.#hasUnsafeInteger(row);
    if (!isUnsafe) return rows;
    return this.#exact.all(...params).map((row) => this.#toInt64Columns(row));
  }

  get(...params: SQLQueryBindings[]): Row | null {
    const row = this.#fast.get(...params);
    if (row === null || !this.#hasUnsafeInteger(row)) return row;
    const exact = this.#exact.get(...params);
    return exact && this.#toInt64Columns(exact);
  }

  #hasUnsafeInteger(row: Row): boolean {
    for (const column of this.#integers) if (!Number.isSafeInteger(row[column])) return true;
    return false;
  }

  /** With `safeIntegers` every integer is a bigint, in all columns. */
  #toInt64Columns(row: Row): Row {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'bigint') row[column as keyof Row] = toInt64(value) as Row[keyof Row];
    }
    return row;
  }
}

/** Converts a value that was read with `safeIntegers`. */
export const toCell = (value: unknown): Cell =>
  typeof value === 'bigint' ? toInt64(value) : (value as Cell);

/** Converts an integer of SQLite, which always fits 64 bits. */
export const toInt64 = (value: bigint): Int64 => int64FromBigInt(value) ?? value;
