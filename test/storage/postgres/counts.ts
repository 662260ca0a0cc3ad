/** The stored counts of animals, and whether they are exact. */
import { expect } from 'bun:test';
import type { TransactionSql } from 'postgres';
import type { Scratch } from './scratch.ts';

/** Adds animals of each status. */
export const INSERT = `INSERT INTO animal_store.pets (name, category_id, status)
  VALUES ('a', 1, 'available'), ('b', 1, 'pending'), ('c', 2, 'sold'), ('d', 1, NULL), ('e', 1, 'sold')`;

const BY_STATUS = `LATERAL (VALUES ('available', available), ('pending', pending), ('sold', sold), (NULL, unset))
  AS by_status (status, count)`;

/** The differences between the sums and a count of the animals of each category, in one snapshot. */
const DIFFERENCES = `SELECT category_id, status, sum(change) FROM (
    SELECT category_id, status, 1 AS change FROM animal_store.pets
    UNION ALL
    SELECT category_id, status, -count FROM animal_store.category_counts, ${BY_STATUS}
  ) AS changes GROUP BY category_id, status HAVING sum(change) <> 0`;

export async function expectExact(sql: Pick<TransactionSql, 'unsafe'>): Promise<void> {
  expect([...(await sql.unsafe(DIFFERENCES))]).toEqual([]);
}

/** Adds an animal to each of 120 categories, one by one, so that a compaction of all counts is due. */
export const addMany = ({ sql }: Pick<Scratch, 'sql'>) =>
  sql.unsafe(`DO $$ BEGIN
    FOR category IN 0..119 LOOP
      INSERT INTO animal_store.pets (name, category_id, status)
      VALUES ('x', category, (ARRAY['available', 'pending', 'sold', NULL])[1 + category % 4]);
    END LOOP;
  END $$`);

/** The numbers of rows of counts: sums, and others. */
export async function rowsOfCounts({ sql }: Pick<Scratch, 'sql'>): Promise<readonly number[]> {
  const [row] = await sql`SELECT count(*) FILTER (WHERE is_sum)::int AS sums,
    count(*) FILTER (WHERE NOT is_sum)::int AS others FROM animal_store.category_counts`;
  return Object.values(row ?? {});
}
