import { FairQueue } from '../../../fair-queue.ts';
import type { Int64 } from '../../../int64.ts';
import type { Recording } from '../../recording.ts';
import type { Cell } from '../../rows.ts';
import type { Insertion, Spelling, Sql, Statement } from '../../sql.ts';
import type { Rows } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { arrayOf, arraysOf } from './arrays.ts';
import { LISTS } from './list-spelling.ts';

const READING: Spelling = {
  table: (name) => `animal_store.${name}`,
  rows: (columns) => {
    const types = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
    return `unnest(${types.join(', ')}) AS given (${Object.keys(columns).join(', ')})`;
  },
  tableBy: (name, _index, alias = name) => `animal_store.${name} AS ${alias}`,
  among: (column, values) =>
    `${column} = ANY(${values.startsWith('$') ? `${values}::bigint[]` : `ARRAY(${values})`})`,
  lock: () => '',
  byCodePoint: 'COLLATE "C"',
  lists: LISTS,
};

/** Within a transaction, which changes what it reads. */
const CHANGING: Spelling = { ...READING, lock: (mode) => mode };

/** Searches of a process use at most two connections at once, and take turns by key: others always get one. */
const SEARCHES = new FairQueue(2);

const insertions = new WeakMap<Insertion, string>();

function insertOf(into: Insertion): string {
  let text = insertions.get(into);
  if (text === undefined) {
    const parameters = into.columns.map((_column, index) => `$${index + 1}`);
    text = `INSERT INTO animal_store.${into.table} (${into.columns.join(', ')})
      VALUES (${parameters.join(', ')}) RETURNING id`;
    insertions.set(into, text);
  }
  return text;
}

/** Runs statements outside of transactions, or within one. */
export class PostgresSql implements Sql {
  readonly #spelling: Spelling;
  readonly searches = SEARCHES;

  /** @param recording within a transaction. */
  constructor(
    readonly run: Run,
    readonly recording: Recording | undefined = undefined,
  ) {
    this.#spelling = recording ? CHANGING : READING;
  }

  read<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): Promise<Rows<Row>> {
    return this.run<Row>(statement.textIn(this.#spelling), values);
  }

  async find<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): Promise<Row | undefined> {
    return (await this.read(statement, ...values))[0];
  }

  write<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): Promise<Rows<Row>> {
    return this.read(statement, ...values);
  }

  async change(statement: Statement, ...values: readonly Cell[]): Promise<number> {
    return (await this.read(statement, ...values)).count;
  }

  async insert(into: Insertion, cells: readonly Cell[]): Promise<Int64> {
    const [row] = await this.run<{ id: Int64 }>(insertOf(into), cells);
    if (row === undefined) throw new Error('The insert returned no id.');
    return row.id;
  }

  listOf(values: readonly (Int64 | string)[]): string {
    return arrayOf(values);
  }

  rowsOf(rows: readonly (readonly (Int64 | string)[])[], width: number): string[] {
    return arraysOf(rows, width);
  }

  lockCatalogue(): Promise<unknown> {
    return this.run('SELECT 1 FROM animal_store.schema_version FOR UPDATE');
  }
}
