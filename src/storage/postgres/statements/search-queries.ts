import type { ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { fieldsOf, firstIdOf, type Row, SQL_ORDERS, selectListOf } from '../../rows.ts';
import type { AnyTable } from '../../tables.ts';
import type { Value } from '../connections/connection.ts';
import type { Run } from '../transactions/transactions.ts';
import { comparisonsOf, isOneOf } from './page-queries.ts';

/**
 * The number of rows of a list that a search looks at before it uses the index of trigrams. That takes two milliseconds: the rows
 * with one value of a filter are far from each other.
 */
const WINDOW = { all: 4_000, filtered: 1_000 };

/** Three letters or digits in a row: without them, a text has no trigram. */
const TRIGRAM = /[\p{L}\p{M}\p{N}]{3}/u;

/**
 * A row may match: its folded name contains the text, or is not there yet. An ASCII name is then folded here (`foldText` only
 * makes it lower case), so that the service gets few rows that do not match.
 */
const INDEXED = 'folded_name LIKE $2';
const UNFOLDED = `folded_name IS NULL AND
  (octet_length(name) > char_length(name) OR lower(name COLLATE "C") LIKE $2)`;
const CANDIDATE = `(${INDEXED} OR ${UNFOLDED})`;

/**
 * Reads the first `count` rows of a list that follow an id and may have a name that contains a text. The table has a folded name.
 *
 * Looks at the next rows of the list, and reads on only if these contain too few: so a search for a frequent text does not
 * collect all its rows, and one for a rare text does not look at all rows. The planner gets no choice: a prepared statement has
 * one plan for all texts, and the estimate for an unknown text is wrong for most. `id + 0` has no index, so the plan needs that
 * of trigrams. LATERAL keeps it from starting what may not be needed.
 * @param folded by `foldText`.
 */
export async function readCandidates(
  run: Run,
  table: AnyTable,
  folded: string,
  { filters, sort }: ListQuery,
  afterId: Int64 | undefined,
  count: number,
): Promise<readonly Row[]> {
  const firstId = firstIdOf(afterId, sort);
  if (firstId === undefined) return [];
  const pattern = `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const values: Value[] = [firstId, pattern, count];
  const conditions = comparisonsOf(table, filters).equalities.map(([column, value]) => ({
    column,
    parameter: `$${values.push(value)}`,
    type: typeof value,
  }));
  const { isAfter, direction } = SQL_ORDERS[sort];
  const equal = conditions.map(({ column, parameter }) => `AND ${column} = ${parameter}`).join(' ');
  // As in `readEqual`, an index must serve the order of the list.
  const [first, ...others] = conditions;
  const inList = first
    ? `AND ${isOneOf(first.column, first.parameter, first.type)}
      ${others.map(({ column, parameter }) => `AND ${column} = ${parameter}`).join(' ')}`
    : '';
  const window = first ? WINDOW.filtered : WINDOW.all;
  const listOrder = `${first ? `${first.column} ${direction}, ` : ''}id ${direction}`;

  const fields = fieldsOf(table)
    .map((field) => `"${field}"`)
    .join(', ');
  const rows = `SELECT ${selectListOf(table)} FROM animal_store.${table.name}`;
  const fromRest = (where: string, order: string) => `SELECT page.* FROM rest CROSS JOIN LATERAL (
      ${rows} WHERE ${where} AND id ${isAfter} rest.last_id ORDER BY ${order} LIMIT $3
    ) AS page`;
  const rest = TRIGRAM.test(folded)
    ? `${fromRest(`${INDEXED} ${equal}`, `id + 0 ${direction}`)}
      UNION ALL ${fromRest(`${UNFOLDED} ${equal}`, `id ${direction}`)}`
    : fromRest(`${CANDIDATE} ${inList}`, listOrder);
  return run<Row>(
    `WITH near AS MATERIALIZED (
      SELECT ${selectListOf(table)}, folded_name FROM animal_store.${table.name}
      WHERE id ${isAfter}= $1 ${inList} ORDER BY ${listOrder} LIMIT ${window}
    ), found AS MATERIALIZED (
      SELECT ${fields} FROM near WHERE ${CANDIDATE} LIMIT $3
    ), rest AS MATERIALIZED (
      SELECT ${sort === 'id' ? 'max' : 'min'}(id) AS last_id FROM near
      WHERE (SELECT count(*) FROM found) < $3 HAVING count(*) = ${window}
    )
    SELECT * FROM (SELECT * FROM found UNION ALL ${rest}) AS candidates ORDER BY id ${direction} LIMIT $3`,
    values,
  );
}
