import type { FairQueue } from '../fair-queue.ts';
import type { ListQuery, Position } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Recording } from './recording.ts';
import type { Cell, Row } from './rows.ts';
import type { Slice, SliceRequest } from './search.ts';
import type { AnyTable } from './tables.ts';

/** How an engine spells what the engines spell differently. */
export interface Spelling {
  /** A table of the catalogue. */
  table(name: string): string;
  /** A table of the rows that `Sql.rowsOf` makes parameters of, with these columns. */
  rows(columns: Readonly<Record<string, 'bigint' | 'text'>>): string;
  /** A table, read by an index where an engine would choose another one. */
  tableBy(name: string, index: string, alias?: string): string;
  /** Whether a column has one of the values of a parameter that `Sql.listOf` makes, or that a SELECT finds. */
  among(column: string, values: string): string;
  /** Locks the rows that a SELECT finds until the end of the transaction. Nothing where one transaction writes at a time, or reads. */
  lock(mode: 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED' | 'FOR KEY SHARE'): string;
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

/** Where a row is added. An engine prepares each once. */
export interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Reads lists of a table, which the filters and the order of its description select. */
export interface Lists {
  /** A page of a list by id, in which most filters have one value. */
  page(query: ListQuery, afterId: Int64 | undefined, count: number): MaybePromise<readonly Row[]>;
  /** A page of a list that may have several values of a filter, and may be by a time. */
  merged(
    query: ListQuery,
    after: Position | undefined,
    count: number,
  ): MaybePromise<readonly Row[]>;
  /** The rows whose folded texts contain a folded term, in a slice of such a list. */
  slice(
    term: string,
    query: ListQuery,
    request: SliceRequest<Position>,
  ): MaybePromise<Slice<Row, Position>>;
}

/** Runs statements on one connection, or in one transaction. @throws StorageError, or what the engine throws for a bug */
export interface Sql {
  /** Collects the events of the present write. Undefined outside of writes. */
  readonly recording: Recording | undefined;
  /** Runs a SELECT. */
  read<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): MaybePromise<readonly Row[]>;
  /** The same for at most one row. */
  find<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): MaybePromise<Row | undefined>;
  /** Runs a statement that changes rows and returns some. */
  write<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): MaybePromise<readonly Row[]>;
  /** Returns how many rows it has changed. */
  change(statement: Statement, ...values: readonly Cell[]): MaybePromise<number>;
  /** Adds a row, and returns its id. */
  insert(into: Insertion, cells: readonly Cell[]): MaybePromise<Int64>;
  /** Reads lists of a table. */
  lists(table: AnyTable): Lists;
  /** Slices of all searches take turns in it. */
  readonly searches: FairQueue;
  /** The parameter of `Spelling.among`. */
  listOf(ids: readonly Int64[]): Cell;
  /** The parameters of `Spelling.rows`. */
  rowsOf(rows: readonly (readonly (Int64 | string)[])[], width: number): readonly Cell[];
  /** Waits for other transactions that have called it. */
  lockCatalogue(): MaybePromise<unknown>;
}
