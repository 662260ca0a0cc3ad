import type { Statement as Prepared, SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type { EventType } from '../../../events/event-types.ts';
import { FairQueue } from '../../../fair-queue.ts';
import type { Int64 } from '../../../int64.ts';
import type { Insertion } from '../../insertion.ts';
import { eventOf, type Recording } from '../../recording.ts';
import type { Cell, CellRow } from '../../rows.ts';
import { type Addition, type JsonRow, type Spelling, type Sql, Statement } from '../../sql.ts';
import { toStorageError, translateErrors, translateReadErrors } from '../failures.ts';
import { appendEvents } from './append-events.ts';
import { ExactInsert, toJson } from './exact-insert.ts';
import { ExactQuery, toCell } from './exact-query.ts';
import { LISTS } from './list-spelling.ts';

const BATCH_SIZE = 1_000;

const highestId = (table: string): string =>
  `coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '${table}'), 0)`;

const SPELLING: Spelling = {
  table: (name) => name,
  rows: (columns) => {
    const fields = Object.keys(columns).map((name, index) => `value ->> ${index} AS ${name}`);
    return `(SELECT ${fields.join(', ')} FROM json_each($1))`;
  },
  each: (columns) => ({
    from: '',
    value: (column) => `$${Object.keys(columns).indexOf(column) + 1}`,
  }),
  tableBy: (name, index, alias = name) => `${name} AS ${alias} INDEXED BY ${index}`,
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  amongFound: (column, select) => `${column} IN (${select})`,
  lock: () => '',
  byCodePoint: '',
  countsOf: (categoryIds) => SPELLING.among('category_id', categoryIds),
  waitingSince: 'NULL',
  highestId,
  copied: (table) => ({ rows: table, highestId: highestId(table) }),
  newGeneration: 'lower(hex(randomblob(4)))',
  lists: LISTS,
};

/** All searches of a process take turns, one slice in each turn of the event loop. */
const SEARCHES = new FairQueue(1, setImmediate);

/** Runs statements on a connection, and prepares each once. */
export class SqliteSql implements Sql {
  readonly #queries = new Map<Statement<never>, ExactQuery<object>>();
  readonly #changes = new Map<Statement<never>, Prepared<unknown, SQLQueryBindings[]>>();

  readonly #insertions = new Map<Insertion, ExactInsert>();
  readonly searches = SEARCHES;
  readonly spelling = SPELLING;
  recording: Recording | undefined;

  constructor(readonly connection: Sqlite) {}

  /** Does the work of a write, and adds the events of its changes. The work waits for nothing. */
  record<T>(recording: Recording, work: () => T): T {
    this.recording = recording;
    try {
      const result = work();
      appendEvents(this, recording.events);
      return result;
    } finally {
      this.recording = undefined;
    }
  }

  // The preparation reads the schema, so it can fail, too.
  read<Row extends object>(statement: Statement<Row>, ...values: readonly Cell[]): Row[] {
    const rows = translateReadErrors(this.connection, () => this.#query(statement).all(...values));
    return rows as Row[];
  }

  find<Row extends object>(statement: Statement<Row>, ...values: readonly Cell[]): Row | undefined {
    const row = translateReadErrors(this.connection, () => this.#query(statement).get(...values));
    return (row ?? undefined) as Row | undefined;
  }

  #query(statement: Statement<never>): ExactQuery<object> {
    let query = this.#queries.get(statement);
    if (query === undefined) {
      query = new ExactQuery<object>(
        this.connection,
        textOf(statement),
        statement.int64s as readonly never[],
      );
      this.#queries.set(statement, query);
    }
    return query;
  }

  cells(select: string): CellRow[] {
    return [...this.stream(select)].flat();
  }

  *stream(select: string): Generator<CellRow[]> {
    const prepared = translateErrors(() => this.connection.prepare(select));
    let batch: CellRow[] = [];
    try {
      for (const row of prepared.safeIntegers(true).iterate()) {
        batch.push(Object.values(row as object).map(toCell));
        if (batch.length < BATCH_SIZE) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      prepared.finalize();
    }
  }

  change(statement: Statement, ...values: readonly Cell[]): number {
    return this.#prepare(statement).run(...values).changes;
  }

  changeEach(statement: Statement, rows: readonly JsonRow[]): void {
    for (const row of rows) this.change(statement, ...row);
  }

  insert(into: Insertion, cells: readonly Cell[]): Int64 {
    return this.#inserts(into).run(cells);
  }

  insertAll(into: Insertion, rows: readonly CellRow[]): Int64[] {
    // No resource has bytes.
    return this.#inserts(into).runAll(rows as readonly JsonRow[]);
  }

  insertAndRecord<New extends object>(
    into: Insertion,
    rows: readonly CellRow[],
    type: EventType,
    additions: readonly Addition<New>[],
  ): (New & { id: Int64 })[] {
    const ids = this.insertAll(into, rows);
    const added = additions.map(({ resource }, index) => ({
      id: ids[index] as Int64,
      ...resource,
    }));
    // One time for all, so that they are one run: they are committed together.
    const at = additions.at(-1)?.cause.at ?? 0;
    appendEvents(
      this,
      additions.map(({ cause: { actor } }, index) => {
        const data = added[index] as New;
        return eventOf(type, ids[index] as Int64, { data }, { actor, at });
      }),
    );
    return added;
  }

  listOf(values: readonly (Int64 | string)[]): string {
    return `[${values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : value)).join()}]`;
  }

  rowsOf(rows: readonly JsonRow[]): [string] {
    return [toJson(rows)];
  }

  takeTurn(): void {}

  #inserts(into: Insertion): ExactInsert {
    let insert = this.#insertions.get(into);
    if (insert === undefined) {
      insert = new ExactInsert(this.connection, into.table.name, into.columns);
      this.#insertions.set(into, insert);
    }
    return insert;
  }

  #prepare(statement: Statement<never>): Prepared<unknown, SQLQueryBindings[]> {
    let prepared = this.#changes.get(statement);
    if (prepared === undefined) {
      prepared = this.connection.prepare(textOf(statement));
      this.#changes.set(statement, prepared);
    }
    return prepared;
  }
}

const LAST_BACKUP = new Statement<{ at: number | null }>(() => 'SELECT at FROM last_backup');

/** When the catalogue was last backed up, null if it never was. */
export const lastBackupIn = (sql: SqliteSql): number | null => sql.find(LAST_BACKUP)?.at ?? null;

/** SQLite numbers a parameter by `?`. One with `$` has a name. */
const textOf = (statement: Statement<never>): string =>
  statement.textIn(SPELLING).replaceAll(/\$(\d+)/g, '?$1');
