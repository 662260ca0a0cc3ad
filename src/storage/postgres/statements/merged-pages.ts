import type { ListQuery, Position } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { type Membership, planOf, type TimeRange } from '../../list-plan.ts';
import { columnOf, fieldsOf, type Row, SQL_ORDERS, selectListOf } from '../../rows.ts';
import type { Slice, SliceRequest } from '../../search.ts';
import type { AnyTable } from '../../tables.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { arrayOf } from './arrays.ts';
import { MAX_PAGE_ROWS } from './page-queries.ts';

/**
 * Reads a page of a list that may have several values of a filter, and may be by a time.
 * @param select the statement up to WHERE.
 * @param after the position after which the page begins; undefined: the first page.
 */
export function readMergedPage(
  run: Run,
  table: AnyTable,
  select: string,
  query: ListQuery,
  after: Position | undefined,
  count: number,
): Promise<readonly Row[]> {
  const { sql, values } = rowsOf(table, select, query, after, count, MAX_PAGE_ROWS);
  return run<Row>(sql, values);
}

/** Finds the rows whose folded texts contain a folded term, in a slice of a list. */
export async function readMergedSlice(
  run: Run,
  table: AnyTable,
  term: string,
  query: ListQuery,
  { after, wanted, rows }: SliceRequest<Position>,
): Promise<Slice<Row, Position>> {
  const { search, name } = table;
  const { direction } = SQL_ORDERS[query.sort];
  const time = query.by && columnOf(table, query.by).column;
  // The merge of parts is by the field of the time.
  const shownTime = time === undefined ? '' : `, ${time} AS "${query.by}"`;
  const select = `SELECT id${shownTime}, ${search?.column} AS text FROM animal_store.${name}`;
  const list = rowsOf(table, select, query, after, rows, rows);
  const values = [...list.values, term, wanted];
  const [termAt, wantedAt] = [`$${values.length - 1}`, `$${values.length}`];
  // The arrays have the order of the list. The last row is that of the slice, if the slice is whole.
  const found = await run<
    Row & { readonly lastTime: number | null; readonly lastId: Int64 | null }
  >(
    `WITH slice AS (
      SELECT (array_agg(id))[${rows}] AS last_id, ${time === undefined ? 'NULL::bigint' : `(array_agg("${query.by}"))[${rows}]`} AS last_time,
        (array_agg(id) FILTER (WHERE strpos(text COLLATE "C", ${termAt}) > 0))[1:${wantedAt}] AS ids
      FROM (${list.sql}) AS looked_at
    )
    SELECT * FROM (
      SELECT ${selectListOf(table)}, NULL::bigint AS "lastTime", NULL::bigint AS "lastId" FROM animal_store.${name}
      WHERE id = ANY(ARRAY(SELECT unnest(ids) FROM slice)) ORDER BY ${time === undefined ? '' : `${time} ${direction}, `}id ${direction}
    ) AS matches
    UNION ALL SELECT ${fieldsOf(table)
      .map(() => 'NULL')
      .join(', ')}, last_time, last_id FROM slice WHERE last_id IS NOT NULL`,
    values,
  );
  const last = found.at(-1);
  const items = found
    .filter(({ lastId }) => lastId === null)
    .map(({ lastId: _id, lastTime: _time, ...row }) => row as Row);
  if (items.length === wanted || last === undefined || last.lastId === null)
    return { items, next: undefined };
  const { lastId: id, lastTime } = last;
  return { items, next: lastTime === null ? id : { id, time: Number(lastTime) } };
}

/**
 * The rows of a list in its order. Each part is read by one index in the order of the list, at most as many rows as are needed. The
 * parts are few, so sorting their rows is fast. That the planner uses the index of the leading filter, and why the inner LIMIT is a
 * constant, is explained at `readEqual`.
 */
function rowsOf(
  table: AnyTable,
  select: string,
  query: ListQuery,
  after: Position | undefined,
  count: number,
  atLeast: number,
): { readonly sql: string; readonly values: Value[] } {
  const { leading, others, ranges, order, only, afterId, afterTime } = planOf(table, query, after);
  const values: Value[] = [];
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const is = (comparison: string, value: Value | undefined): string[] =>
    value === undefined ? [] : [`${comparison} ${parameter(value)}`];
  const within = ({ column, from, before }: TimeRange): string[] => [
    ...is(`${column} >=`, from),
    ...is(`${column} <`, before),
  ];
  const { isAfter, direction } = SQL_ORDERS[query.sort];
  // With one value of each, the page is one part: a plain statement, whose plan the server keeps.
  const isMerged = leading.some((one) => one.values.length > 1);
  const conditions = [
    ...(only ? [only.condition] : []),
    ...leading.map((one, index) => {
      const typed = () => `${parameter(one.values[0] as Value)}::${arrayTypeOf(one).slice(0, -2)}`;
      const value = isMerged ? `part_${index}.value` : typed();
      // The second column need not hide from the planner, and in an array it would lose the order of the index.
      return index === 0 ? `${one.column} = ANY(ARRAY[${value}])` : `${one.column} = ${value}`;
    }),
    ...is(`id ${isAfter}`, afterId),
    ...(order ? within(order) : []),
    ...ranges.flatMap((range) => within(range)),
    ...others.map(
      (other) =>
        `(${other.column} = ANY(${parameter(arrayOf(other.values))}::${arrayTypeOf(other)})) IS TRUE`,
    ),
  ];
  if (order && afterTime !== undefined) {
    const { time, id } = afterTime;
    conditions.push(`(${order.column}, id) ${isAfter} (${parameter(time)}, ${parameter(id)})`);
  }
  const byTime = (column: string) => (order ? `${column} ${direction}, ` : '');
  const limit = parameter(count);
  const first = leading.map(({ column }) => `${column} ${direction}, `).join('');
  const page = `SELECT * FROM (
      ${select} WHERE ${conditions.join(' AND ') || 'true'}
      ORDER BY ${first}${byTime(order?.column ?? '')}id ${direction} LIMIT ${Math.max(count, atLeast)}
    ) AS longest LIMIT ${limit}`;
  if (!isMerged) return { sql: page, values };
  const parts = leading.map((one, index) => {
    const elements = `unnest(${parameter(arrayOf(one.values))}::${arrayTypeOf(one)})`;
    return `${elements} AS part_${index} (value)`;
  });
  const sql = `SELECT page.* FROM ${parts.join(' CROSS JOIN ')} CROSS JOIN LATERAL (${page}) AS page
    ORDER BY ${byTime(`page."${order?.field}"`)}page.id ${direction} LIMIT ${limit}`;
  return { sql, values };
}

const arrayTypeOf = ({ values }: Membership): string =>
  values.every((value) => typeof value === 'string') ? 'text[]' : 'bigint[]';
