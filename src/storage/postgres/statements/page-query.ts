import type { Filters, FilterValue } from '../../../http/contract/filters.ts';
import type { Int64 } from '../../../int64.ts';
import type { FilterColumns } from '../../filter-columns.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';

/** A condition in SQL, with `?` where its one parameter stands. */
type Condition = readonly [sql: string, value: Value];

/** Where a page begins: after an id, or at the beginning. */
export const after = (id: Int64 | undefined): Condition[] =>
  id === undefined ? [] : [['id > ?', id]];

/**
 * Reads a list that is ascending by id.
 * @param select what to read from where, up to the conditions.
 */
export function readPage<Row>(
  run: Run,
  select: string,
  conditions: readonly Condition[],
  count: number,
): Promise<readonly Row[]> {
  const where = conditions.map(([sql], index) => sql.replace('?', `$${index + 1}`)).join(' AND ');
  const values = conditions.map(([, value]) => value);
  return run<Row>(`${select} WHERE ${where || 'true'} ORDER BY id LIMIT $${values.length + 1}`, [
    ...values,
    count,
  ]);
}

/** A column with the value that all rows of a list have in it. */
type Equality = readonly [column: string, value: Int64 | string];

/**
 * Reads several pages of a list, each of them ascending by id.
 * @param select what to read from where, up to the conditions.
 * @param starts after which id each page begins; undefined: at the beginning.
 * @returns a page for each start. Its rows may have a column `place` besides.
 */
export function readPages<Row, ListFilters extends Filters>(
  run: Run,
  select: string,
  filters: ListFilters,
  columns: FilterColumns<ListFilters>,
  starts: readonly (Int64 | undefined)[],
  count: number,
): Promise<readonly (readonly Row[])[]> {
  const equalities: Equality[] = [];
  const memberships: Condition[] = [];
  for (const [name, column] of Object.entries<string>(columns)) {
    const value = filters[name] as FilterValue | undefined;
    if (typeof value === 'object') {
      memberships.push([`${column} = ANY(?::bigint[])`, arrayOf(value)]);
    } else if (value !== undefined) equalities.push([column, value]);
  }
  if (memberships.length === 0) return readEqual(run, select, equalities, starts, count);
  // Few rows have one of the named values: any plan that finds them is good.
  const conditions = equalities.map(([column, value]): Condition => [`${column} = ?`, value]);
  return Promise.all(
    starts.map((start) =>
      readPage<Row>(run, select, [...after(start), ...memberships, ...conditions], count),
    ),
  );
}

/** The most that a page of the API reads: one more than it shows. */
const LONGEST_PAGE = 101;

/**
 * Reads several pages of a list of positive ids, each of them ascending, by one statement.
 *
 * The planner shall use an index. Where it knows that a column is equal to a value, it believes that it
 * may as well go through all ids until it has met enough of that value: that reads the whole table when
 * the first animal with it is the last one. An array of one value tells it as much about the rows,
 * but not that their order by that column and the id is their order by the id: for that it needs the
 * index. It also sees a limit, a little larger than the one that is asked for: without any, it expects very
 * many rows, and rather plans each execution anew.
 * @param select what to read from where, up to the conditions.
 * @param equalities the first column is the first of an index.
 * @param starts after which id each page begins; undefined: at the beginning.
 * @returns a page for each start. Its rows have a column `place` besides.
 */
async function readEqual<Row>(
  run: Run,
  select: string,
  equalities: readonly Equality[],
  starts: readonly (Int64 | undefined)[],
  count: number,
): Promise<readonly Row[][]> {
  const values: Value[] = [];
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const [first, ...others] = equalities;
  const where = others.map(([column, value]) => `${column} = ${parameter(value)}`);
  if (first !== undefined) where.push(isOneOf(first[0], parameter(first[1]), typeof first[1]));
  const order = first === undefined ? 'id' : `${first[0]}, id`;

  const distinct = [...new Set(starts.map((start) => start ?? 0))];
  const rows = await run<Row & { place: number }>(
    `SELECT start.place::int AS place, page.*
    FROM unnest(${parameter(arrayOf(distinct))}::bigint[]) WITH ORDINALITY AS start (after_id, place)
    CROSS JOIN LATERAL (
      SELECT * FROM (
        ${select} WHERE ${[...where, 'id > after_id'].join(' AND ')}
        ORDER BY ${order} LIMIT ${Math.max(count, LONGEST_PAGE)}
      ) AS longest LIMIT ${parameter(count)}
    ) AS page
    ORDER BY start.place, page.id`,
    values,
  );
  const pages = new Map(distinct.map((start): [Int64, Row[]] => [start, []]));
  for (const row of rows) pages.get(distinct[row.place - 1] as Int64)?.push(row);
  return starts.map((start) => pages.get(start ?? 0) as Row[]);
}

const isOneOf = (column: string, parameter: string, type: string): string =>
  `${column} = ANY(ARRAY[${parameter}::${type === 'string' ? 'text' : 'bigint'}])`;

/** Several values as one parameter: a PostgreSQL array. */
export function arrayOf(values: readonly (Int64 | string | null)[]): string {
  const elements = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value ?? 'NULL'),
  );
  return `{${elements.join()}}`;
}
