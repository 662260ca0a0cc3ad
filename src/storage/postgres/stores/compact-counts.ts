import { STATUSES, SUMS } from '../../category-counts.ts';
import type { Run } from '../transactions/transactions.ts';

/** The counts of a category are the sums of its rows: triggers add one for each statement that changes its animals. */
const TABLE = 'animal_store.category_counts';

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

/**
 * Replaces rows by their sums if there are many. No addition or change of animals waits for it.
 * @returns whether there may be more.
 */
export async function compactCounts(run: Run): Promise<boolean> {
  const [compaction] = await run<{ hasMore: boolean }>(COMPACT);
  return compaction?.hasMore === true;
}
