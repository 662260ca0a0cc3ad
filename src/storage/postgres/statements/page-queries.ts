import type { Filters, FilterValue } from '../../../http/contract/filters.ts';
import type { Int64 } from '../../../int64.ts';
import type { FilterColumns } from '../../filter-columns.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';

/** A condition in SQL, with `?` for its one parameter. */
type Condition = readonly [sql: string, value: Value];

/** The condition for the start of a page: after an id, or none for the first page. */
export const after = (id: Int64 | undefined): Condition[] =>
  id === undefined ? [] : [['id > ?', id]];

/**
 * Reads a page in ascending order of id.
 * @param select the statement up to WHERE.
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

/** A column and the value that it must have. */
type Equality = readonly [column: string, value: Int64 | string];

/**
 * Reads several pages of a list, each in ascending order of id.
 * @param select the statement up to WHERE.
 * @param starts the ids after which the pages start; undefined: the first page.
 * @returns a page for each start. Its rows may have an additional column `pageNumber`.
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
  // Few rows match a list of values, so any plan is fast.
  const conditions = equalities.map(([column, value]): Condition => [`${column} = ?`, value]);
  return Promise.all(
    starts.map((start) =>
      readPage<Row>(run, select, [...after(start), ...memberships, ...conditions], count),
    ),
  );
}

/** The highest number of rows that the API reads for a page: the maximum `limit` and one more. */
const MAX_PAGE_ROWS = 101;

/**
 * Reads several pages of a list with positive ids by one statement, each in ascending order of id.
 *
 * The statement makes the planner use an index. For `column = value` the planner may scan the primary key
 * until it has found enough rows: that reads the whole table if all matching rows are at its end. With
 * `column = ANY(ARRAY[value])` it estimates the same number of rows, but does not know that `ORDER BY column, id`
 * equals `ORDER BY id`: so it needs the index for the order. The inner LIMIT is a constant, at least as high as the
 * requested one: without it the planner expects very many rows, and prefers a new plan for each execution.
 * @param select the statement up to WHERE.
 * @param equalities the first column must be the first column of an index.
 * @param starts the ids after which the pages start; undefined: the first page.
 * @returns a page for each start. Its rows have an additional column `pageNumber`.
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
  const rows = await run<Row & { pageNumber: number }>(
    `SELECT start.page_number::int AS "pageNumber", page.*
    FROM unnest(${parameter(arrayOf(distinct))}::bigint[]) WITH ORDINALITY AS start (after_id, page_number)
    CROSS JOIN LATERAL (
      SELECT * FROM (
        ${select} WHERE ${[...where, 'id > after_id'].join(' AND ')}
        ORDER BY ${order} LIMIT ${Math.max(count, MAX_PAGE_ROWS)}
      ) AS longest LIMIT ${parameter(count)}
    ) AS page
    ORDER BY start.page_number, page.id`,
    values,
  );
  const pages = new Map(distinct.map((start): [Int64, Row[]] => [start, []]));
  for (const row of rows) pages.get(distinct[row.pageNumber - 1] as Int64)?.push(row);
  return starts.map((start) => pages.get(start ?? 0) as Row[]);
}

const isOneOf = (column: string, parameter: string, type: string): string =>
  `${column} = ANY(ARRAY[${parameter}::${type === 'string' ? 'text' : 'bigint'}])`;

/** Formats values as the text of a PostgreSQL array, to send them as one parameter. */
export function arrayOf(values: readonly (Int64 | string | null)[]): string {
  const elements = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value ?? 'NULL'),
  );
  return `{${elements.join()}}`;
}
