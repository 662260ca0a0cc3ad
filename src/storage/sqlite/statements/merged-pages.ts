import type { SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type { ListQuery, Position, Sort } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { type ListPlan, type Membership, planOf, type TimeRange } from '../../list-plan.ts';
import { SQL_ORDERS, selectListOf } from '../../rows.ts';
import type { Slice, SliceRequest } from '../../search.ts';
import type { AnyTable } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { readTogether } from '../transactions/snapshot.ts';
import { ExactQuery } from './exact-query.ts';
import { PARAMETER } from './page-queries.ts';

/** A condition in SQL, with the value of its one parameter, if it has one. */
type Condition = readonly [sql: string, value?: SQLQueryBindings];

/** The conditions of one part. */
type Part = readonly Condition[];

/**
 * Reads pages of a list that may have several values of a filter, and may be by a time. Each part is read by one index in the order
 * of the list. SQLite merges the parts without a sort, and reads no more rows of each than the page needs.
 */
export class MergedPages<Row extends object> {
  /** By the SQL. */
  readonly #prepared = new Map<string, ExactQuery<Row>>();
  readonly #positions = new Map<string, ExactQuery<{ id: Int64; time: number | null }>>();

  /** @param select the statement up to WHERE. */
  constructor(
    readonly connection: Sqlite,
    readonly table: AnyTable,
    readonly select: string,
    readonly int64Fields: readonly (keyof Row)[],
  ) {}

  /** Reads the first `count` rows that follow a position. */
  read(query: ListQuery, after: Position | undefined, count: number): Row[] {
    const { parts, values, time, direction, indexed } = this.#partsOf(query, after);
    const order = `ORDER BY ${time ? `"${time.field}" ${direction}, ` : ''}id ${direction}`;
    const sql = `${union(this.select + indexed, parts)} ${order} LIMIT ${PARAMETER}`;
    return translateReadErrors(this.connection, () => this.#prepare(sql).all(...values, count));
  }

  /** Finds the rows whose folded texts contain a folded term, in a slice of a list. */
  readSlice(
    term: string,
    query: ListQuery,
    { after, wanted, rows }: SliceRequest<Position>,
  ): Slice<Row, Position> {
    const { name, search } = this.table;
    const { parts, values, time, direction, indexed } = this.#partsOf(query, after);
    const columns = `id AS row_id, ${time?.column ?? 'NULL'} AS row_time, ${search?.column} AS row_text`;
    const order = `ORDER BY ${time ? `row_time ${direction}, ` : ''}row_id ${direction}`;
    const list = `${union(`SELECT ${columns} FROM ${name}${indexed}`, parts)} ${order}`;
    // The slice is no table: its rows are compared as they are read, until there are enough matches.
    const matches = `SELECT ${selectListOf(this.table)}
      FROM (${list} LIMIT ${rows}) CROSS JOIN ${name} ON id = row_id WHERE instr(row_text, ${PARAMETER}) LIMIT ${PARAMETER}`;
    const last = `SELECT row_id AS id, row_time AS time FROM (${list}) LIMIT 1 OFFSET ${rows - 1}`;
    return translateReadErrors(this.connection, () =>
      readTogether(this.connection, () => {
        const items = this.#prepare(matches).all(...values, term, wanted);
        const position = items.length === wanted ? null : this.#prepareLast(last).get(...values);
        if (position === null) return { items, next: undefined };
        const { id, time: atTime } = position;
        return { items, next: atTime === null ? id : { id, time: atTime } };
      }),
    );
  }

  #partsOf(query: ListQuery, after: Position | undefined) {
    const plan = planOf(this.table, query, after);
    const parts = partsOf(plan, query.sort);
    const values = parts.flatMap((part) =>
      part.flatMap(([, value]): SQLQueryBindings[] => (value === undefined ? [] : [value])),
    );
    // Without its name, SQLite prefers the index of the status, and sorts.
    const indexed = plan.only ? ` INDEXED BY ${plan.only.index}` : '';
    return {
      parts,
      values,
      time: plan.order,
      direction: SQL_ORDERS[query.sort].direction,
      indexed,
    };
  }

  #prepare(sql: string): ExactQuery<Row> {
    let query = this.#prepared.get(sql);
    if (query === undefined) {
      query = new ExactQuery<Row>(this.connection, sql, this.int64Fields);
      this.#prepared.set(sql, query);
    }
    return query;
  }

  #prepareLast(sql: string): ExactQuery<{ id: Int64; time: number | null }> {
    let query = this.#positions.get(sql);
    if (query === undefined) {
      query = new ExactQuery(this.connection, sql, ['id']);
      this.#positions.set(sql, query);
    }
    return query;
  }
}

const union = (select: string, parts: readonly Part[]): string =>
  parts
    .map((part) => `${select} WHERE ${part.map(([sql]) => sql).join(' AND ') || 'true'}`)
    .join(' UNION ALL ');

function partsOf(
  { leading, others, ranges, order, only, afterId, afterTime }: ListPlan,
  sort: Sort,
): Part[] {
  const { isAfter } = SQL_ORDERS[sort];
  const is = (comparison: string, value: SQLQueryBindings | undefined): Condition[] =>
    value === undefined ? [] : [[`${comparison} ${PARAMETER}`, value]];
  const within = ({ column, from, before }: TimeRange): Condition[] => [
    ...is(`${column} >=`, from),
    ...is(`${column} <`, before),
  ];
  const bounds = order ? within(order) : [];
  const starts: Part[] = [[...is(`id ${isAfter}`, afterId), ...bounds]];
  // SQLite uses only the first column of an index for a comparison of rows. So the rows of the same time are a part of their own.
  if (order && afterTime !== undefined) {
    const { time, id } = afterTime;
    starts[0] = [...is(`${order.column} =`, time), ...is(`id ${isAfter}`, id)];
    starts.push([...is(`${order.column} ${isAfter}`, time), ...bounds]);
  }
  const parts = leading.reduce<Part[]>(
    (before, { column, values }, index) =>
      before.flatMap((part) =>
        values.map((value): Part => [...part, [equals(column, index === 0), value]]),
      ),
    [only ? [[only.condition]] : []],
  );
  // The plus keeps the planner from the index of this column.
  const compared = [
    ...others.map(isOneOf),
    ...ranges.flatMap((range) => within({ ...range, column: `+${range.column}` })),
  ];
  return parts.flatMap((part) => starts.map((start) => [...part, ...start, ...compared]));
}

/** The planner assumes that each value is rare. So it could prefer an index of the second column to one of both. */
const equals = (column: string, isFirst: boolean): string =>
  isFirst ? `${column} = ${PARAMETER}` : `likelihood(${column} = ${PARAMETER}, 0.2)`;

const isOneOf = ({ column, values }: Membership): Condition => {
  const texts = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : value));
  return [`+${column} IN (SELECT value FROM json_each(${PARAMETER}))`, `[${texts.join()}]`];
};
