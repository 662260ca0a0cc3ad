/** The counts of animals by category, and what counts them. For both engines. */

/** The columns of `category_counts` with numbers of animals. */
export const STATUSES = ['available', 'pending', 'sold', 'unset'] as const;

/** Counts animals in the order of `STATUSES`, with these names. */
export const COUNTED = STATUSES.map(
  (status) =>
    `count(*) FILTER (WHERE ${status === 'unset' ? 'status IS NULL' : `status = '${status}'`}) AS ${status}`,
).join(', ');

/** A row for each category with animals: its id and its counts. @param pets the table. */
export const countByCategory = (pets: string): string =>
  `SELECT category_id, ${COUNTED} FROM ${pets} GROUP BY category_id`;

/** The sums of rows of `category_counts`, in the order of `STATUSES`. */
export const SUMS = STATUSES.map(
  (status) => `CAST(coalesce(sum(${status}), 0) AS bigint) AS ${status}`,
).join();
