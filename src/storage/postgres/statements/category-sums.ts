/** The sums of rows of counts. */
export const SUMS = `sum(available)::bigint AS available, sum(pending)::bigint AS pending,
  sum(sold)::bigint AS sold, sum(unset)::bigint AS unset`;

/** The stored counts of each category. The tables have no prefix. */
export const CATEGORY_COUNTS = `SELECT category_id, ${SUMS} FROM (
    SELECT * FROM category_counts UNION ALL SELECT * FROM category_count_changes
  ) AS counts GROUP BY category_id`;
