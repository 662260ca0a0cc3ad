import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Cell } from './rows.ts';

/** How an engine spells what the engines spell differently. */
export interface Spelling {
  /** A table of the catalogue. */
  table(name: string): string;
  /** A table of the rows that `Sql.rowsOf` makes parameters of, with these columns. */
  rows(columns: Readonly<Record<string, 'bigint' | 'text'>>): string;
  /** Locks the rows that a SELECT finds until the end of the transaction. Nothing where one transaction writes at a time, or reads. */
  lock(mode: 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED'): string;
  /** Orders texts by their code points, as SQLite does. */
  readonly byCodePoint: string;
}

/** A statement in the words of both engines. Its parameters are `$1`, `$2` and so on. */
export class Statement<Row extends object = object> {
  readonly #texts = new Map<Spelling, string>();

  /**
   * @param write writes it for an engine. Called once for each spelling.
   * @param int64s the fields of its rows that may exceed the integers of a double.
   */
  constructor(
    readonly write: (spelling: Spelling) => string,
    readonly int64s: readonly (keyof Row & string)[] = [],
  ) {}

  textIn(spelling: Spelling): string {
    let text = this.#texts.get(spelling);
    if (text === undefined) {
      text = this.write(spelling);
      this.#texts.set(spelling, text);
    }
    return text;
  }
}

/** Runs statements on one connection, or in one transaction. @throws StorageError, or what the engine throws for a bug */
export interface Sql {
  /** Runs a SELECT. */
  read<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): MaybePromise<readonly Row[]>;
  /** Runs a statement that changes rows and returns some. */
  write<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): MaybePromise<readonly Row[]>;
  /** Returns how many rows it has changed. */
  change(statement: Statement, ...values: readonly Cell[]): MaybePromise<number>;
  /** The parameters of `Spelling.rows`. */
  rowsOf(rows: readonly (readonly (Int64 | string)[])[], width: number): readonly Cell[];
  /** Waits for other transactions that have called it. */
  lockCatalogue(): MaybePromise<unknown>;
}
