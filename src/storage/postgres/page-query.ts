import type { Int64 } from '../../int64.ts';
import type { Value } from './connection.ts';
import type { Run } from './transactions.ts';

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

/** Several values as one parameter: a PostgreSQL array. */
export function arrayOf(values: readonly (Int64 | string | null)[]): string {
  const elements = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value ?? 'NULL'),
  );
  return `{${elements.join()}}`;
}
