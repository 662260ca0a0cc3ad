import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';

/** Reports `searches_slow` if the index of names does not serve all searches. */
export async function reportSlowSearches(
  { names }: Pick<Database, 'names'>,
  observe: Observe,
): Promise<void> {
  try {
    const reason = await names.obstacle();
    if (reason !== undefined) observe({ kind: 'searches_slow', reason });
  } catch (error) {
    // The monitor reports a database that is lost.
    if (!(error instanceof StorageError)) throw error;
  }
}
