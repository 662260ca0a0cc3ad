import type { SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type { ListQuery, Position, Sort } from '../../../http/contract/list-query.ts';
import { type ListPlan, type Membership, planOf } from '../../list-plan.ts';
import { SQL_ORDERS } from '../../rows.ts';
import type { AnyTable } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactQuery } from './exact-query.ts';
import { PARAMETER } from './page-queries.ts';

/** A condition in SQL, with the value of its one parameter. */
type Condition = readonly [sql: string, value: SQLQueryBindings];

/** The conditions of one part. */
type Part = readonly Condition[];

/**
 * Reads pages of a list that may have several values of a filter, and may be by time. Each part is read by one index in the order
 * of the list. SQLite merges the parts without a sort, and reads no more rows of each than the page needs.
 */
export class MergedPages<Row extends object> {
  /** By the SQL. */
  readonly #prepared = new Map<string, ExactQuery<Row>>();

  /** @param select the statement up to WHERE. */
  constructor(
    readonly connection: Sqlite,
    readonly table: AnyTable,
    readonly select: string,
    readonly int64Fields: readonly (keyof Row)[],
  ) {}

  /** Reads the first `count` rows that follow a position. */
  read(query: ListQuery, after: Position | undefined, count: number): Row[] {
    const plan = planOf(this.table, query, after);
    const parts = partsOf(plan, query.sort);
    const values = parts.flatMap((part) => part.map(([, value]) => value));
    return translateReadErrors(this.connection, () =>
      this.#prepare(parts, plan, query.sort).all(...values, count),
    );
  }

  #prepare(parts: readonly Part[], { range }: ListPlan, sort: Sort): ExactQuery<Row> {
    const { direction } = SQL_ORDERS[sort];
    const selects = parts.map((conditions) => {
      const where = conditions.map(([sql]) => sql).join(' AND ');
      return `${this.select} WHERE ${where || 'true'}`;
    });
    const order = range ? `"createdAt" ${direction}, id ${direction}` : `id ${direction}`;
    const sql = `${selects.join(' UNION ALL ')} ORDER BY ${order} LIMIT ${PARAMETER}`;
    let query = this.#prepared.get(sql);
    if (query === undefined) {
      query = new ExactQuery<Row>(this.connection, sql, this.int64Fields);
      this.#prepared.set(sql, query);
    }
    return query;
  }
}

function partsOf({ leading, others, range, afterId, afterTime }: ListPlan, sort: Sort): Part[] {
  const { isAfter } = SQL_ORDERS[sort];
  const is = (comparison: string, value: SQLQueryBindings | undefined): Condition[] =>
    value === undefined ? [] : [[`${comparison} ${PARAMETER}`, value]];
  const bounds = [...is('created_at >=', range?.from), ...is('created_at <', range?.before)];
  const starts: Part[] = [[...is(`id ${isAfter}`, afterId), ...bounds]];
  // SQLite uses only the first column of an index for a comparison of rows. So the rows of the same time are a part of their own.
  if (afterTime !== undefined) {
    const { time, id } = afterTime;
    starts[0] = [...is('created_at =', time), ...is(`id ${isAfter}`, id)];
    starts.push([...is(`created_at ${isAfter}`, time), ...bounds]);
  }
  const parts = leading.reduce<Part[]>(
    (before, { column, values }, index) =>
      before.flatMap((part) =>
        values.map((value): Part => [...part, [equals(column, index === 0), value]]),
      ),
    [[]],
  );
  const filters = others.map(isOneOf);
  return parts.flatMap((part) => starts.map((start) => [...part, ...start, ...filters]));
}

/** The planner assumes that each value is rare. So it could prefer an index of the second column to one of both. */
const equals = (column: string, isFirst: boolean): string =>
  isFirst ? `${column} = ${PARAMETER}` : `likelihood(${column} = ${PARAMETER}, 0.2)`;

/** The plus keeps the planner from the index of this column. */
const isOneOf = ({ column, values }: Membership): Condition => {
  const texts = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : value));
  return [`+${column} IN (SELECT value FROM json_each(${PARAMETER}))`, `[${texts.join()}]`];
};
