import type { Int64 } from '../../../int64.ts';
import type { CategoryCounts } from '../../category-counts.ts';
import { arrayOf } from '../statements/arrays.ts';
import { SUMS } from '../statements/category-sums.ts';
import type { Run } from '../transactions/transactions.ts';

/** The counts of a category are the sum of its rows in both tables. One statement has one snapshot: a merge changes no sum. */
const READ = `SELECT category_id AS "categoryId", ${SUMS} FROM (
    SELECT * FROM animal_store.category_counts WHERE category_id = ANY($1::bigint[])
    UNION ALL
    SELECT * FROM animal_store.category_count_changes WHERE category_id = ANY($1::bigint[])
  ) AS counts GROUP BY category_id`;

/** Fewer changes are not worth a write: reading them takes some hundredths of a millisecond. */
const MAX_CHANGES = 100;

/** The most changes that one transaction merges, so that it ends in time. An import into many categories adds more. */
const MAX_MERGED = 10_000;

/**
 * Moves changes into the row of their category. Of two merges that run simultaneously, the second waits, and moves only the
 * changes that it has deleted itself. Both take categories in the order of ids, so neither waits for the other in turn.
 */
const MERGE = `WITH due AS MATERIALIZED (SELECT ctid FROM animal_store.category_count_changes LIMIT ${MAX_MERGED}),
  moved AS (
    DELETE FROM animal_store.category_count_changes
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM due)) AND (SELECT count(*) > ${MAX_CHANGES} FROM due) RETURNING *
  )
  INSERT INTO animal_store.category_counts AS counts
  SELECT category_id, ${SUMS} FROM moved GROUP BY category_id ORDER BY category_id
  ON CONFLICT (category_id) DO UPDATE SET
    available = counts.available + excluded.available, pending = counts.pending + excluded.pending,
    sold = counts.sold + excluded.sold, unset = counts.unset + excluded.unset
  RETURNING category_id AS id, (available, pending, sold, unset) = (0, 0, 0, 0) AS "isEmpty",
    (SELECT count(*) FROM moved) AS moved`;

/** Only rows that this transaction has changed, and therefore locked. */
const REMOVE = 'DELETE FROM animal_store.category_counts WHERE category_id = ANY($1::bigint[])';

/** Reads the counts of those categories that have some. */
export async function readCategoryCounts(
  run: Run,
  categoryIds: readonly Int64[],
): Promise<readonly CategoryCounts[]> {
  return categoryIds.length === 0 ? [] : run<CategoryCounts>(READ, [arrayOf(categoryIds)]);
}

/**
 * Merges changes of the counts of categories if there are many. No addition or change of animals waits for it.
 * @returns whether there may be more.
 */
export async function mergeCategoryCounts(run: Run): Promise<boolean> {
  const merged = await run<{ id: Int64; isEmpty: boolean; moved: number }>(MERGE);
  const empty = merged.filter(({ isEmpty }) => isEmpty).map(({ id }) => id);
  if (empty.length > 0) await run(REMOVE, [arrayOf(empty)]);
  return merged[0]?.moved === MAX_MERGED;
}
