import type { Int64 } from '../../../int64.ts';
import type { Inventory } from '../../../pets/pet-store.ts';
import type { CategoryCounts } from '../../category-counts.ts';
import { STATUSES } from '../../status-queries.ts';
import { arrayOf } from '../statements/arrays.ts';
import type { Run } from '../transactions/transactions.ts';

/** The counts of a category are the sums of its rows: triggers add one for each statement that changes its animals. */
const TABLE = 'animal_store.category_counts';

const SUMS = STATUSES.map((status) => `coalesce(sum(${status}), 0)::bigint AS ${status}`).join();

/** The index begins with `is_sum`. */
const READ_SOME = `SELECT category_id AS "categoryId", ${SUMS} FROM ${TABLE}
  WHERE is_sum = ANY('{false,true}') AND category_id = ANY($1::bigint[]) GROUP BY category_id`;

/** Fewer rows are not worth a write: reading them takes some hundredths of a millisecond. */
const MAX_ROWS = 100;

/** The most rows that one transaction replaces, so that it ends in time. An import into many categories adds more. */
const MAX_REPLACED = 10_000;

/**
 * One statement replaces rows by the sums of their categories, so every snapshot contains either. Of two that run simultaneously, the
 * second waits, and sums up only the rows that it has deleted itself. Both delete in the order of ctid, so neither waits for the other
 * in turn. A category can then have two sums, until its next change.
 */
const COMPACT = `WITH due AS MATERIALIZED (
    SELECT ctid, category_id FROM ${TABLE} WHERE NOT is_sum ORDER BY category_id LIMIT ${MAX_REPLACED}
  ), replaced AS (
    DELETE FROM ${TABLE} WHERE (SELECT count(*) > ${MAX_ROWS} FROM due) AND ctid = ANY(ARRAY(
      SELECT ctid FROM due
      UNION ALL
      SELECT ctid FROM ${TABLE} WHERE is_sum AND category_id = ANY(ARRAY(SELECT DISTINCT category_id FROM due))
    )) RETURNING *
  ), added AS (
    INSERT INTO ${TABLE}
    SELECT * FROM (SELECT category_id, ${SUMS}, true FROM replaced GROUP BY category_id) AS sums
    WHERE (${STATUSES.join()}) <> (0, 0, 0, 0)
  )
  SELECT count(*) FILTER (WHERE NOT is_sum) = ${MAX_REPLACED} AS "hasMore" FROM replaced`;

/** Reads the counts of all animals. */
export async function readInventory(run: Run): Promise<Inventory> {
  const [counts] = await run<Inventory>(`SELECT ${SUMS} FROM ${TABLE}`);
  if (counts === undefined) throw new Error('The sum of the counts returned no row.');
  return counts;
}

/** Reads the counts of those categories that have some. */
export async function readCategoryCounts(
  run: Run,
  categoryIds: readonly Int64[],
): Promise<readonly CategoryCounts[]> {
  return categoryIds.length === 0 ? [] : run<CategoryCounts>(READ_SOME, [arrayOf(categoryIds)]);
}

/**
 * Replaces rows by their sums if there are many. No addition or change of animals waits for it.
 * @returns whether there may be more.
 */
export async function compactCounts(run: Run): Promise<boolean> {
  const [compaction] = await run<{ hasMore: boolean }>(COMPACT);
  return compaction?.hasMore === true;
}
