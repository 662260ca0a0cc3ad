import type { ListSpelling } from '../../sql.ts';

/**
 * For `column = value` the planner may scan the primary key until it has found enough rows: that reads the whole table if all matching
 * rows are at its end. With `column = ANY(ARRAY[value])` it estimates the same number of rows, but does not know that `ORDER BY column, id`
 * equals `ORDER BY id`: so it needs the index for the order. In descending order it reads the same index backwards.
 *
 * The inner limit is a constant: without it the planner expects very many rows, and prefers a new plan for each execution.
 */
export const LISTS: ListSpelling = {
  hide: (value) => value,
  leads: (column, value, type) => `${column} = ANY(ARRAY[${value}::${type}])`,
  follows: (column, value) => (value === null ? `${column} IS NULL` : `${column} = ${value}`),
  isOneOf: (column, parameter, type) => `${column} = ANY(${parameter}::${type}[])`,
  compared: (condition) => `(${condition}) IS TRUE`,
  afterTime: (comparison, column, time, id) => [`(${column}, id) ${comparison} (${time}, ${id})`],
  contains: (column, term) => `strpos(${column} COLLATE "C", ${term}) > 0`,
  // The rows are read once. The arrays have their order.
  slice: (list, _end, rows, wanted) =>
    `slice AS (
      SELECT (array_agg(row_id))[${rows}] AS row_id, (array_agg(row_id) FILTER (WHERE is_match))[1:${wanted}] AS ids
      FROM (${list}) AS looked_at
    ), matches AS (SELECT unnest(ids) AS row_id FROM slice), slice_end AS (SELECT row_id FROM slice WHERE row_id IS NOT NULL)`,
  merge({ columns, from, parts, indexOrder, order, mergeOrder, limit, most }) {
    const longest = (part: string) =>
      `SELECT ${columns} FROM ${from} WHERE ${part} ORDER BY ${indexOrder} LIMIT ${most}`;
    const limited = (rows: string) => `SELECT * FROM (${rows}) AS longest LIMIT ${limit}`;
    const [only = ''] = parts;
    if (parts.length === 1) return limited(longest(only));
    // With `status = 'sold'`, the planner knows that the index has the order of the merge, and reads no more rows than the
    // list needs. With `status IS NULL`, or several values of the first column, the planner sorts the rows.
    const isOrdered = (part: string) => mergeOrder !== order && !part.includes(' IS NULL');
    const ordered = parts.map((part) =>
      isOrdered(part)
        ? `(${longest(part)})`
        : `(SELECT * FROM (${limited(longest(part))}) AS part ORDER BY ${mergeOrder})`,
    );
    return limited(
      `SELECT * FROM (${ordered.join(' UNION ALL ')}) AS parts ORDER BY ${mergeOrder} LIMIT ${most}`,
    );
  },
};
