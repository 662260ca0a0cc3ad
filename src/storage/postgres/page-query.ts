import type { Int64 } from '../../int64.ts';
import type { Value } from './connection.ts';
import type { Run } from './transactions.ts';

/** A condition in SQL, with `?` where its one parameter stands. */
export type Condition = readonly [sql: string, value: Value];

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
type Equality = readonly [column: string, value: Value];

interface ListByIndex {
  /** The columns of an index that come before the id in it. */
  readonly prefix: readonly Equality[];
  /** What is looked at in each row besides. */
  readonly others?: readonly Equality[];
}

/** The most that a page of the API reads: one more than it shows. */
const LONGEST_PAGE = 101;

/**
 * Reads several pages of a list of positive ids, each of them ascending, by one statement.
 *
 * The planner shall use the index. Where it knows that a column is equal to a value, it believes that
 * it may as well go through all ids until it has met enough of that value: that reads the whole table
 * when the first animal with it is the last one. So it is not told: the rows begin after a place in the
 * index, end with a place in it, and are in its order. And as long as it cannot see how few rows are
 * wanted, it plans each execution anew, which takes a fifth of the time: so it sees a limit that is a
 * little larger.
 * @param select what to read from where, up to the conditions.
 * @param starts after which id each page begins; undefined: at the beginning.
 * @returns a page for each start. Its rows have a column `place` besides.
 */
export async function readPages<Row>(
  run: Run,
  select: string,
  { prefix, others = [] }: ListByIndex,
  starts: readonly (Int64 | undefined)[],
  count: number,
): Promise<readonly Row[][]> {
  const values: Value[] = [];
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const columns = prefix.map(([column]) => column);
  const wanted = prefix.map(([, value]) => parameter(value));
  const where = [`(${[...columns, 'id']}) > (${[...wanted, 'after_id']})`];
  if (columns.length > 0) where.push(`(${columns}) <= (${wanted})`);
  for (const [column, value] of others) where.push(`${column} = ${parameter(value)}`);
  const order = [...columns, 'id'].join();

  const distinct = [...new Set(starts.map((start) => start ?? 0))];
  const rows = await run<Row & { place: number }>(
    `SELECT start.place::int AS place, page.*
    FROM unnest(${parameter(arrayOf(distinct))}::bigint[]) WITH ORDINALITY AS start (after_id, place)
    CROSS JOIN LATERAL (
      SELECT * FROM (
        ${select} WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ${Math.max(count, LONGEST_PAGE)}
      ) AS longest LIMIT ${parameter(count)}
    ) AS page
    ORDER BY start.place, page.id`,
    values,
  );
  const pages = new Map(distinct.map((start): [Int64, Row[]] => [start, []]));
  for (const row of rows) pages.get(distinct[row.place - 1] as Int64)?.push(row);
  return starts.map((start) => pages.get(start ?? 0) as Row[]);
}

/** Several values as one parameter: a PostgreSQL array. */
export function arrayOf(values: readonly (Int64 | string | null)[]): string {
  const elements = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value ?? 'NULL'),
  );
  return `{${elements.join()}}`;
}
