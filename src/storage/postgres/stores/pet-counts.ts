import type { Inventory } from '../../../pets/pet-store.ts';
import type { Run } from '../transactions/transactions.ts';

/** The inventory is the sum of all rows of `pet_counts`: triggers add one for each statement that changes animals. */
const SUM = `SELECT
    coalesce(sum(available), 0)::bigint AS available, coalesce(sum(pending), 0)::bigint AS pending,
    coalesce(sum(sold), 0)::bigint AS sold, coalesce(sum(unset), 0)::bigint AS unset`;

const READ = `${SUM} FROM animal_store.pet_counts`;

/** Fewer rows are not worth a write: their sum takes some hundredths of a millisecond. */
const MAX_ROWS = 100;

/**
 * One statement replaces rows by their sum, so every snapshot contains either. Of two that run simultaneously, the
 * second waits, and sums up only the rows that it has deleted itself.
 */
const COMPACT = `WITH removed AS (
    DELETE FROM animal_store.pet_counts
    WHERE (SELECT count(*) > ${MAX_ROWS} FROM animal_store.pet_counts) RETURNING *
  )
  INSERT INTO animal_store.pet_counts (available, pending, sold, unset) ${SUM} FROM removed HAVING count(*) > 0`;

export async function readPetCounts(run: Run): Promise<Inventory> {
  const [counts] = await run<Inventory>(READ);
  if (counts === undefined) throw new Error('The sum of the counts returned no row.');
  return counts;
}

/** Replaces the rows by their sum if there are many. No addition or change of animals waits for it. */
export async function compactPetCounts(run: Run): Promise<void> {
  await run(COMPACT);
}
