import type { RequestCause } from '../events/cause.ts';
import type { EventType } from '../events/event-types.ts';
import type { FairQueue } from '../fair-queue.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Insertion } from './insertion.ts';
import type { Recording } from './recording.ts';
import type { Cell, CellRow } from './rows.ts';

type Columns = Readonly<Record<string, 'bigint' | 'text'>>;

/** How an engine spells what the engines spell differently. */
export interface Spelling {
  /** A table of the catalogue. */
  table(name: string): string;
  /** A table of the rows that `Sql.rowsOf` makes parameters of, with these columns. */
  rows(columns: Columns): string;
  /**
   * For a change of many rows: `FROM` with a table of them, and what a column of it is. PostgreSQL runs one statement for all rows. SQLite
   * runs one for each: from a table of JSON, they would take twice as long.
   */
  each(columns: Columns): { readonly from: string; value(column: string): string };
  /** A table, read by an index where an engine would choose another one. */
  tableBy(name: string, index: string, alias?: string): string;
  /** Whether a column has one of the integers of a parameter that `Sql.listOf` makes. */
  among(column: string, parameter: string): string;
  /** Whether a column has one of the values that a SELECT finds. */
  amongFound(column: string, select: string): string;
  /** Locks the rows that a SELECT finds until the end of the transaction. Nothing where one transaction writes at a time, or reads. */
  lock(mode: 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED' | 'FOR KEY SHARE'): string;
  /** Orders texts by their code points, as SQLite does. */
  readonly byCodePoint: string;
  /** The rows of `category_counts` of the categories in a parameter that `Sql.listOf` makes. Their index has other columns. */
  countsOf(categoryIds: string): string;
  /** The time of the oldest event that has no position yet. NULL where transactions commit in their order. */
  readonly waitingSince: string;
  /** The highest id that a table has ever assigned, 0 if none. */
  highestId(table: string): string;
  /** What a copy takes from a table: also the events without positions, with those that they would get next. */
  copied(table: string): { readonly rows: string; readonly highestId: string };
  /** A random text of eight characters. */
  readonly newGeneration: string;
  readonly lists: ListSpelling;
}

/** How an engine makes its planner read a list by the right index, in its order, for any values. */
export interface ListSpelling {
  /** A value whose parameter the planner does not look at. */
  hide(value: string): string;
  /** Whether the first column of the index that reads the rows has a value. */
  leads(column: string, value: string, type: 'bigint' | 'text'): string;
  /** Whether its second column has a value; null: NULL. */
  follows(column: string, value: string | null): string;
  /** Whether a column has one of the values of a parameter that `Sql.listOf` makes. */
  isOneOf(column: string, parameter: string, type: 'bigint' | 'text'): string;
  /** A condition, which begins with a column, for which no index is looked for. */
  compared(condition: string): string;
  /** The conditions of the parts of a list that follow a time and an id. The last one has other times. */
  afterTime(comparison: '>' | '<', column: string, time: string, id: string): readonly string[];
  /** Whether a folded text contains a folded term. */
  contains(column: string, term: string): string;
  /**
   * Names two tables of ids (`row_id`): the first `wanted` rows of a slice that match (`is_match`), as `matches`, and the last row of the
   * slice, if it is whole, as `slice_end`.
   * @param list the statement of its rows.
   * @param end the statement of its last row.
   */
  slice(list: string, end: string, rows: number, wanted: string): string;
  /** Merges the parts of a list. */
  merge(list: ListParts): string;
}

interface ListParts {
  readonly columns: string;
  readonly from: string;
  /** The condition of each part, which an index reads in the order of the list. */
  readonly parts: readonly string[];
  /** The order of these indexes. */
  readonly indexOrder: string;
  /** The order of the list, by the names of its columns. */
  readonly order: string;
  /** The same, preceded by the first column of the indexes if all rows have one value of it. */
  readonly mergeOrder: string;
  readonly limit: string;
  /** A constant that is not less than `limit`. */
  readonly most: number;
  /** Whether the ids are merged before the rows are read. */
  readonly mergesIds: boolean;
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

/** A resource to add, and the request that adds it. */
export interface Addition<New> {
  readonly resource: New;
  readonly cause: RequestCause;
}

/** A row of values that JSON has. */
export type JsonRow = readonly (Int64 | string | null)[];

/** Rows in batches: from SQLite at once. */
export type Batches = Iterable<readonly CellRow[]> | AsyncIterable<readonly CellRow[]>;

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
  readonly spelling: Spelling;
  /** Reads all rows of a SELECT that is written for this engine, and runs once. */
  cells(select: string): MaybePromise<readonly CellRow[]>;
  /** The same in batches, within a transaction. */
  stream(select: string): Batches;
  /** Runs a statement that changes rows. Returns how many. */
  change(statement: Statement, ...values: readonly Cell[]): MaybePromise<number>;
  /** The same for many rows of values, in the words of `Spelling.each`. */
  changeEach(statement: Statement, rows: readonly JsonRow[]): MaybePromise<unknown>;
  /** Adds a row, and returns its id. */
  insert(into: Insertion, cells: readonly Cell[]): MaybePromise<Int64>;
  /** Adds rows by one statement, with ascending ids, in their order. */
  insertAll(into: Insertion, rows: readonly CellRow[]): MaybePromise<readonly Int64[]>;
  /** The same for resources of different requests, and adds an event of each. */
  insertAndRecord<New extends object>(
    into: Insertion,
    rows: readonly CellRow[],
    type: EventType,
    additions: readonly Addition<New>[],
  ): MaybePromise<(New & { readonly id: Int64 })[]>;
  /** Slices of all searches take turns in it. */
  readonly searches: FairQueue;
  /** The parameter of `Spelling.among` and `ListSpelling.isOneOf`. */
  listOf(values: readonly (Int64 | string)[]): Cell;
  /** The parameters of `Spelling.rows`. */
  rowsOf(rows: readonly JsonRow[], width: number): readonly Cell[];
  /** Waits for other transactions that have called it. Changes of the catalogue do not wait. */
  takeTurn(): MaybePromise<unknown>;
}
