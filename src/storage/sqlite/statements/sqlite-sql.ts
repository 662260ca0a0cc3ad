import type { Statement as Prepared, SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import type { Cell } from '../../rows.ts';
import type { Spelling, Sql, Statement } from '../../sql.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactQuery } from './exact-query.ts';

const SPELLING: Spelling = {
  table: (name) => name,
  rows: (columns) => {
    const fields = Object.keys(columns).map((name, index) => `value ->> ${index} AS ${name}`);
    return `(SELECT ${fields.join(', ')} FROM json_each($1))`;
  },
  lock: () => '',
  byCodePoint: '',
};

/** Runs statements on a connection, and prepares each once. */
export class SqliteSql implements Sql {
  readonly #queries = new Map<Statement<never>, ExactQuery<object>>();
  readonly #changes = new Map<Statement<never>, Prepared<unknown, SQLQueryBindings[]>>();

  constructor(readonly connection: Sqlite) {}

  read<Row extends object>(statement: Statement<Row>, ...values: readonly Cell[]): Row[] {
    let query = this.#queries.get(statement);
    if (query === undefined) {
      query = new ExactQuery<object>(
        this.connection,
        textOf(statement),
        statement.int64s as readonly never[],
      );
      this.#queries.set(statement, query);
    }
    const prepared = query;
    return translateReadErrors(this.connection, () => prepared.all(...values)) as Row[];
  }

  write<Row extends object>(statement: Statement<Row>, ...values: readonly Cell[]): Row[] {
    return this.#prepare(statement).all(...values) as Row[];
  }

  change(statement: Statement, ...values: readonly Cell[]): number {
    return this.#prepare(statement).run(...values).changes;
  }

  rowsOf(rows: readonly (readonly (Int64 | string)[])[]): [string] {
    return [JSON.stringify(rows)];
  }

  lockCatalogue(): void {}

  #prepare(statement: Statement<never>): Prepared<unknown, SQLQueryBindings[]> {
    let prepared = this.#changes.get(statement);
    if (prepared === undefined) {
      prepared = this.connection.prepare(textOf(statement));
      this.#changes.set(statement, prepared);
    }
    return prepared;
  }
}

/** SQLite numbers a parameter by `?`. One with `$` has a name. */
const textOf = (statement: Statement<never>): string =>
  statement.textIn(SPELLING).replaceAll(/\$(\d+)/g, '?$1');
