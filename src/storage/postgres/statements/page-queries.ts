import type { FilterValue, ListQuery, Sort } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { type Merge, mergeOf } from '../../list-plan.ts';
import { columnOf, comparingFiltersOf, firstIdOf, type Row, SQL_ORDERS } from '../../rows.ts';
import type { AnyTable } from '../../tables.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { arrayOf } from './arrays.ts';

/** A condition in SQL, with `?` for its one parameter. */
type Condition = readonly [sql: string, value: Value];

/**
 * Reads a page by a statement of its own.
 * @param select the statement up to WHERE.
 */
function readPage(
  run: Run,
  select: string,
  conditions: readonly Condition[],
  sort: Sort,
  start: Int64 | undefined,
  count: number,
): Promise<readonly Row[]> {
  const { isAfter, direction } = SQL_ORDERS[sort];
  const after: Condition[] = start === undefined ? [] : [[`id ${isAfter} ?`, start]];
  const all = [...after, ...conditions];
  const where = all.map(([sql], index) => sql.replace('?', `$${index + 1}`)).join(' AND ');
  const values = all.map(([, value]) => value);
  const order = `ORDER BY id ${direction} LIMIT $${values.length + 1}`;
  return run<Row>(`${select} WHERE ${where || 'true'} ${order}`, [...values, count]);
}

/** A column and the value that it must have. */
type Equality = readonly [column: string, value: Int64 | string];

/** What the filters of a list compare. */
function comparisonsOf(table: AnyTable, filters: ListQuery['filters']) {
  const equalities: Equality[] = [];
  const memberships: Condition[] = [];
  for (const name of comparingFiltersOf(table)) {
    const { column } = columnOf(table, name);
    const value: FilterValue | undefined = filters[name];
    if (typeof value === 'object') {
      memberships.push([`${column} = ANY(?::bigint[])`, arrayOf(value)]);
    } else if (value !== undefined) equalities.push([column, value]);
  }
  return { equalities, memberships };
}

/**
 * Reads several pages of a list.
 * @param select the statement up to WHERE.
 * @param starts the ids after which the pages start; undefined: the first page.
 * @returns a page for each start.
 */
export function readPages(
  run: Run,
  table: AnyTable,
  select: string,
  { filters, sort }: ListQuery,
  starts: readonly (Int64 | undefined)[],
  count: number,
): Promise<readonly (readonly Row[])[]> {
  const { equalities, memberships } = comparisonsOf(table, filters);
  // Few rows match a list of values, and without filters the primary key is the only index: any plan is fast.
  const isSimple = memberships.length > 0 || (equalities.length === 0 && starts.length === 1);
  if (!isSimple) {
    const merge = mergeOf(table, filters);
    return readEqual(run, select, equalities, merge, sort, starts, count);
  }
  const conditions = [
    ...memberships,
    ...equalities.map(([column, value]): Condition => [`${column} = ?`, value]),
  ];
  return Promise.all(starts.map((start) => readPage(run, select, conditions, sort, start, count)));
}

/** The most pages that are read by one statement. */
export const MAX_PAGES = 8;

/** The highest number of rows that the API reads for a page: the maximum `limit` and one more. */
export const MAX_PAGE_ROWS = 101;

/**
 * Reads several pages of a list by one statement.
 *
 * The statement makes the planner use an index. For `column = value` the planner may scan the primary key
 * until it has found enough rows: that reads the whole table if all matching rows are at its end. With
 * `column = ANY(ARRAY[value])` it estimates the same number of rows, but does not know that `ORDER BY column, id`
 * equals `ORDER BY id`: so it needs the index for the order. In descending order it reads the same index backwards. The inner
 * LIMIT is a constant, at least as high as the requested one: without it the planner expects very many rows, and prefers a new
 * plan for each execution. So it does if it expects more pages than there are. Therefore one page has a statement without a join, and
 * the number of several is a constant: a page without a start reads nothing.
 *
 * A page may be merged from parts. With `status = 'sold'` the planner knows that the index has the order of the merge, and reads no more
 * rows of this part than the page needs. It does not know that of `status IS NULL`, whose rows it sorts.
 * @param select the statement up to WHERE.
 * @param equalities the first column must be the first column of an index.
 * @param starts the ids after which the pages start; undefined: the first page.
 * @returns a page for each start.
 */
async function readEqual(
  run: Run,
  select: string,
  equalities: readonly Equality[],
  merge: Merge | undefined,
  sort: Sort,
  starts: readonly (Int64 | undefined)[],
  count: number,
): Promise<readonly Row[][]> {
  const values: Value[] = [];
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const [first, ...others] = equalities;
  const where = others.map(([column, value]) => `${column} = ${parameter(value)}`);
  if (first !== undefined) where.push(isOneOf(first[0], parameter(first[1]), typeof first[1]));
  const { isAfter, direction } = SQL_ORDERS[sort];
  const inOrder = (...columns: readonly string[]) =>
    columns.map((column) => `${column} ${direction}`).join();
  const leading = first === undefined ? [] : [first[0]];

  const firstIds = starts.map((start) => firstIdOf(start, sort));
  const distinct = [...new Set(firstIds)].filter((id) => id !== undefined);
  const [onlyId] = distinct;
  if (onlyId === undefined) return firstIds.map(() => []);
  const isOne = distinct.length === 1;
  const firstId = isOne
    ? `${parameter(onlyId)}::bigint`
    : `(${parameter(arrayOf(distinct))}::bigint[])[page_number]`;
  const limit = parameter(count);

  const most = Math.max(count, MAX_PAGE_ROWS);
  const longest = (conditions: readonly string[], ...columns: readonly string[]) =>
    `${select} WHERE ${[...where, ...conditions, `id ${isAfter}= ${firstId}`].join(' AND ')}
      ORDER BY ${inOrder(...leading, ...columns, 'id')} LIMIT ${most}`;
  const limited = (rows: string) => `SELECT * FROM (${rows}) AS longest LIMIT ${limit}`;
  const merged = ({ field, column, values: ofColumn }: Merge) => {
    const order = `ORDER BY ${inOrder(`"${field}"`, 'id')}`;
    const parts = ofColumn.map((value) =>
      value === null
        ? `(SELECT * FROM (${limited(longest([`${column} IS NULL`], column))}) AS part ${order})`
        : `(${longest([`${column} = '${value}'`])})`,
    );
    return limited(`SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts ${order} LIMIT ${most}`);
  };
  const page = merge === undefined ? limited(longest([])) : merged(merge);
  if (isOne) {
    const rows = await run<Row>(page, values);
    return firstIds.map((id) => (id === undefined ? [] : [...rows]));
  }
  const rows = await run<Row & { readonly pageNumber: number }>(
    `SELECT page_number AS "pageNumber", page.*
    FROM generate_series(1, ${Math.max(MAX_PAGES, distinct.length)}) AS page_number
    CROSS JOIN LATERAL (${page}) AS page
    ORDER BY page_number, page.id ${direction}`,
    values,
  );
  const pages = new Map(distinct.map((start): [Int64, Row[]] => [start, []]));
  for (const { pageNumber, ...row } of rows)
    pages.get(distinct[pageNumber - 1] as Int64)?.push(row);
  return firstIds.map((id) => (id === undefined ? [] : (pages.get(id) as Row[])));
}

/** An equality that an index must serve: see `readEqual`. */
const isOneOf = (column: string, parameter: string, type: string): string =>
  `${column} = ANY(ARRAY[${parameter}::${type === 'string' ? 'text' : 'bigint'}])`;
