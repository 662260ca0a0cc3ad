import type { Int64 } from '../../../int64.ts';
import type { Cell } from '../../rows.ts';
import type { Spelling, Sql, Statement } from '../../sql.ts';
import type { Rows } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { arraysOf } from './arrays.ts';

const READING: Spelling = {
  table: (name) => `animal_store.${name}`,
  rows: (columns) => {
    const types = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
    return `unnest(${types.join(', ')}) AS given (${Object.keys(columns).join(', ')})`;
  },
  lock: () => '',
  byCodePoint: 'COLLATE "C"',
};

/** Within a transaction, which changes what it reads. */
const CHANGING: Spelling = { ...READING, lock: (mode) => mode };

/** Runs statements outside of transactions, or within one. */
export class PostgresSql implements Sql {
  readonly #spelling: Spelling;

  constructor(
    readonly run: Run,
    { isTransaction }: { readonly isTransaction: boolean },
  ) {
    this.#spelling = isTransaction ? CHANGING : READING;
  }

  read<Row extends object>(
    statement: Statement<Row>,
    ...values: readonly Cell[]
  ): Promise<Rows<Row>> {
    return this.run<Row>(statement.textIn(this.#spelling), values);
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

  rowsOf(rows: readonly (readonly (Int64 | string)[])[], width: number): string[] {
    return arraysOf(rows, width);
  }

  lockCatalogue(): Promise<unknown> {
    return this.run('SELECT 1 FROM animal_store.schema_version FOR UPDATE');
  }
}
