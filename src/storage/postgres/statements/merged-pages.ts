import type { ListQuery, Position } from '../../../http/contract/list-query.ts';
import { type Membership, planOf } from '../../list-plan.ts';
import { type Row, SQL_ORDERS } from '../../rows.ts';
import type { AnyTable } from '../../tables.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { arrayOf } from './arrays.ts';
import { MAX_PAGE_ROWS } from './page-queries.ts';

/**
 * Reads a page of a list that may have several values of a filter, and may be by time. Each part is read by one index in the order
 * of the list, at most as many rows as the page has. The parts are few, so sorting their rows is fast. That the planner uses the index
 * of the leading filter, and why the inner LIMIT is a constant, is explained at `readEqual`.
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
  const { leading, others, range, afterId, afterTime } = planOf(table, query, after);
  const values: Value[] = [];
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const is = (comparison: string, value: Value | undefined): string[] =>
    value === undefined ? [] : [`${comparison} ${parameter(value)}`];
  const { isAfter, direction } = SQL_ORDERS[query.sort];
  // With one value of each, the page is one part: a plain statement, whose plan the server keeps.
  const isMerged = leading.some((one) => one.values.length > 1);
  const conditions = [
    ...leading.map((one, index) => {
      const typed = () => `${parameter(one.values[0] as Value)}::${arrayTypeOf(one).slice(0, -2)}`;
      const value = isMerged ? `part_${index}.value` : typed();
      // The second column need not hide from the planner, and in an array it would lose the order of the index.
      return index === 0 ? `${one.column} = ANY(ARRAY[${value}])` : `${one.column} = ${value}`;
    }),
    ...is(`id ${isAfter}`, afterId),
    ...is('created_at >=', range?.from),
    ...is('created_at <', range?.before),
    ...others.map(
      (other) =>
        `(${other.column} = ANY(${parameter(arrayOf(other.values))}::${arrayTypeOf(other)})) IS TRUE`,
    ),
  ];
  if (afterTime !== undefined) {
    const { time, id } = afterTime;
    conditions.push(`(created_at, id) ${isAfter} (${parameter(time)}, ${parameter(id)})`);
  }
  const order = range ? `created_at ${direction}, id ${direction}` : `id ${direction}`;
  const limit = parameter(count);
  const first = leading.map(({ column }) => `${column} ${direction}, `).join('');
  const page = `SELECT * FROM (
      ${select} WHERE ${conditions.join(' AND ') || 'true'}
      ORDER BY ${first}${order} LIMIT ${Math.max(count, MAX_PAGE_ROWS)}
    ) AS longest LIMIT ${limit}`;
  if (!isMerged) return run<Row>(page, values);
  const parts = leading.map((one, index) => {
    const elements = `unnest(${parameter(arrayOf(one.values))}::${arrayTypeOf(one)})`;
    return `${elements} AS part_${index} (value)`;
  });
  const merged = range
    ? `page."createdAt" ${direction}, page.id ${direction}`
    : `page.id ${direction}`;
  return run<Row>(
    `SELECT page.* FROM ${parts.join(' CROSS JOIN ')} CROSS JOIN LATERAL (${page}) AS page
    ORDER BY ${merged} LIMIT ${limit}`,
    values,
  );
}

const arrayTypeOf = ({ values }: Membership): string =>
  values.every((value) => typeof value === 'string') ? 'text[]' : 'bigint[]';
