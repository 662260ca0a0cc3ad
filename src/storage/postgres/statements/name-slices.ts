import type { Sort } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { firstIdOf, type Row, SQL_ORDERS, selectListOf } from '../../rows.ts';
import {
  type CountedSlice,
  NOTHING_COUNTED,
  type SearchedList,
  type Slice,
  type SliceRequest,
} from '../../search.ts';
import { STATUSES } from '../../status-queries.ts';
import { PETS } from '../../tables.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';

/**
 * Finds animals by their folded names in a slice of a list. One statement looks at the rows, and reads those that match. Its last row is that
 * of the slice, if the slice is whole: `last` is an id, and the rest is empty.
 * @param term a folded text.
 */
export async function readNameSlice(
  run: Run,
  term: string,
  { filters: { categoryId, status }, sort }: SearchedList,
  { after, wanted, rows }: SliceRequest,
): Promise<Slice<Row>> {
  const first = firstIdOf(after, sort);
  if (first === undefined) return { items: [], next: undefined };
  const { direction } = SQL_ORDERS[sort];
  const values: Value[] = [first, term, wanted];
  // With a category, the index has the status: only rows of the status count.
  const isMatch = `strpos(folded_name COLLATE "C", $2) > 0${
    categoryId === undefined && status !== undefined ? ` AND status = $${values.push(status)}` : ''
  }`;
  const found = await run<Row & { readonly last: Int64 | null }>(
    `WITH slice AS (
      SELECT count(*) AS size, ${sort === 'id' ? 'max' : 'min'}(id) AS last, array_agg(id) FILTER (WHERE ${isMatch}) AS ids
      FROM (${sliceSql(sort, categoryId, status, rows, values)}) AS looked_at
    )
    SELECT * FROM (
      SELECT ${selectListOf(PETS)}, NULL::bigint AS last FROM animal_store.pets
      WHERE id = ANY(ARRAY(SELECT unnest(ids) AS id FROM slice ORDER BY id ${direction} LIMIT $3))
      ORDER BY id ${direction}
    ) AS matches
    UNION ALL SELECT NULL, NULL, NULL, NULL, last FROM slice WHERE size = ${rows}`,
    values,
  );
  const last = found.at(-1)?.last ?? undefined;
  const matches = last === undefined ? found : found.slice(0, -1);
  const items = matches.map(({ last: _none, ...row }): Row => row);
  return { items, next: items.length === wanted ? undefined : last };
}

/** Counts the matches of a slice by their status. @param term a folded text. */
export async function countNameSlice(
  run: Run,
  term: string,
  categoryId: Int64 | undefined,
  { after, rows }: Omit<SliceRequest, 'wanted'>,
): Promise<CountedSlice> {
  const first = firstIdOf(after, 'id');
  if (first === undefined) return NOTHING_COUNTED;
  const values: Value[] = [first, term];
  const slice = sliceSql('id', categoryId, undefined, rows, values);
  const counted = STATUSES.map(
    (status) =>
      `count(*) FILTER (WHERE is_match AND coalesce(status, 'unset') = '${status}') AS ${status}`,
  );
  const [found] = await run<CountedSlice['counts'] & { readonly next: Int64 | null }>(
    `SELECT ${counted.join(', ')}, (array_agg(id))[${rows}] AS next FROM (
      SELECT id, status, strpos(folded_name COLLATE "C", $2) > 0 AS is_match FROM (${slice}) AS rows
    ) AS looked_at`,
    values,
  );
  if (found === undefined) throw new Error('A count returned no row.');
  const { next, ...counts } = found;
  return { counts, next: next ?? undefined };
}

/**
 * Selects the rows of a slice. With a category, they are merged from the statuses, which the index separates. The limit is a constant:
 * otherwise the planner expects many rows, and prefers a scan of the table.
 */
function sliceSql(
  sort: Sort,
  categoryId: Int64 | undefined,
  status: string | undefined,
  rows: number,
  values: Value[],
): string {
  const { isAfter, direction } = SQL_ORDERS[sort];
  const select = `SELECT id, status, folded_name FROM animal_store.pets WHERE id ${isAfter}= $1`;
  const byId = `ORDER BY id ${direction} LIMIT ${rows}`;
  if (categoryId === undefined) return `${select} ${byId}`;
  const category = `$${values.push(categoryId)}`;
  const ofStatus = (condition: string) => `(${select}
    AND category_id = ANY(ARRAY[${category}::bigint]) AND status ${condition}
    ORDER BY category_id ${direction}, status ${direction}, id ${direction} LIMIT ${rows})`;
  if (status !== undefined) return ofStatus(`= $${values.push(status)}`);
  const parts = STATUSES.map((one) => ofStatus(one === 'unset' ? 'IS NULL' : `= '${one}'`));
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts ${byId}`;
}
