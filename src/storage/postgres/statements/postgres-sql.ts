import type { EventType } from '../../../events/event-types.ts';
import { FairQueue } from '../../../fair-queue.ts';
import type { Int64 } from '../../../int64.ts';
import { CODES } from '../../event-rows.ts';
import type { Insertion } from '../../insertion.ts';
import type { Recording } from '../../recording.ts';
import { type Cell, type CellRow, columnsOf, type Row } from '../../rows.ts';
import type { Addition, JsonRow, Spelling, Sql, Statement } from '../../sql.ts';
import { EVENTS } from '../../tables.ts';
import type { Rows } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { arrayOf, arraysOf } from './arrays.ts';
import { idsOf, insertAllOf, insertAndRecordOf, insertOf } from './insertions.ts';
import { LISTS } from './list-spelling.ts';

const BATCH_SIZE = 1_000;

const highestId = (table: string): string =>
  `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.${table}_id_seq)`;

/** A role that only copies cannot move the events of the outbox. */
function copiedEvents() {
  const [id, ...others] = columnsOf(EVENTS);
  const next = `${highestId('events')} + row_number() OVER (ORDER BY id) AS ${id}`;
  return {
    rows: `(TABLE animal_store.events UNION ALL SELECT ${next}, ${others.join()} FROM animal_store.outbox) AS events`,
    highestId: `${highestId('events')} + (SELECT count(*) FROM animal_store.outbox)`,
  };
}

const READING: Spelling = {
  table: (name) => `animal_store.${name}`,
  rows: (columns) => {
    const types = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
    return `unnest(${types.join(', ')}) AS given (${Object.keys(columns).join(', ')})`;
  },
  each: (columns) => ({ from: `FROM ${READING.rows(columns)}`, value: (column) => column }),
  tableBy: (name, _index, alias = name) => `animal_store.${name} AS ${alias}`,
  among: (column, parameter) => `${column} = ANY(${parameter}::bigint[])`,
  amongFound: (column, select) => `${column} = ANY(ARRAY(${select}))`,
  lock: () => '',
  byCodePoint: 'COLLATE "C"',
  countsOf: (categoryIds) =>
    `is_sum = ANY('{false,true}') AND ${READING.among('category_id', categoryIds)}`,
  waitingSince: '(SELECT at FROM animal_store.outbox ORDER BY id LIMIT 1)',
  highestId,
  copied: (table) =>
    table === EVENTS.name
      ? copiedEvents()
      : { rows: `animal_store.${table}`, highestId: highestId(table) },
  newGeneration: 'left(gen_random_uuid()::text, 8)',
  lists: LISTS,
};

/** Within a transaction, which changes what it reads. */
const CHANGING: Spelling = { ...READING, lock: (mode) => mode };

/** Searches of a process use at most two connections at once, and take turns by key: others always get one. */
const SEARCHES = new FairQueue(2);

const toCells = (rows: readonly Row[]): CellRow[] => rows.map((row) => Object.values(row));

/** Runs statements outside of transactions, or within one. */
export class PostgresSql implements Sql {
  readonly spelling: Spelling;
  readonly searches = SEARCHES;

  /** @param recording within a transaction. */
  constructor(
    readonly run: Run,
    readonly recording: Recording | undefined = undefined,
  ) {
    this.spelling = recording ? CHANGING : READING;
  }

  read<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): Promise<Rows<Row>> {
    return this.run<Row>(statement.textIn(this.spelling), values);
  }

  async find<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): Promise<Row | undefined> {
    return (await this.read(statement, ...values))[0];
  }

  async cells(select: string): Promise<CellRow[]> {
    return toCells(await this.run<Row>(select));
  }

  async *stream(select: string): AsyncGenerator<CellRow[]> {
    await this.run(`DECLARE streamed NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const rows = await this.run<Row>(`FETCH ${BATCH_SIZE} FROM streamed`);
      if (rows.length === 0) break;
      yield toCells(rows);
    }
    await this.run('CLOSE streamed');
  }

  async change(statement: Statement, ...values: readonly Cell[]): Promise<number> {
    return (await this.read(statement, ...values)).count;
  }

  changeEach(statement: Statement, rows: readonly JsonRow[]): Promise<number> {
    return this.change(statement, ...arraysOf(rows, rows[0]?.length ?? 0));
  }

  async insert(into: Insertion, cells: readonly Cell[]): Promise<Int64> {
    const [row] = await this.run<{ id: Int64 }>(insertOf(into), cells);
    if (row === undefined) throw new Error('The insert returned no id.');
    return row.id;
  }

  async insertAll(into: Insertion, rows: readonly CellRow[]): Promise<Int64[]> {
    const values = arraysOf(rows, into.columns.length);
    return idsOf(await this.run<Row>(insertAllOf(into), values), into, rows);
  }

  async insertAndRecord<New extends object>(
    into: Insertion,
    rows: readonly CellRow[],
    type: EventType,
    additions: readonly Addition<New>[],
  ): Promise<(New & { id: Int64 })[]> {
    const codes = CODES[type];
    const values = [
      ...arraysOf(rows, into.columns.length),
      codes.type,
      codes.collection,
      arrayOf(additions.map(({ cause }) => cause.at)),
      arrayOf(additions.map(({ cause }) => cause.actor.keyId)),
    ];
    const ids = idsOf(await this.run<Row>(insertAndRecordOf(into), values), into, rows);
    return additions.map(({ resource }, index) => ({ id: ids[index] as Int64, ...resource }));
  }

  readonly listOf = arrayOf;
  readonly rowsOf = arraysOf;

  takeTurn(): Promise<unknown> {
    return this.run('SELECT 1 FROM animal_store.schema_version FOR UPDATE');
  }
}
