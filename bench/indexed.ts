import { Database } from 'bun:sqlite';

/** The number of animals of an SQLite file that are not in the index of names yet. Versions without this index have none. */
export function unindexedIn(connection: Database): number {
  const hasIndex = connection
    .query("SELECT 1 FROM sqlite_schema WHERE name = 'unindexed_pets'")
    .get();
  if (hasIndex === null) return 0;
  const sql = 'SELECT count(*) AS count FROM unindexed_pets';
  return connection.query<{ count: number }, []>(sql).get()?.count ?? Number.NaN;
}

const POLL_MS = 100;

/**
 * Waits until the service has indexed the names of all animals: it does that after an import, beside the requests.
 * @param database a path, or the URL of a database, which needs no wait.
 */
export async function waitUntilIndexed(database: string): Promise<void> {
  if (database.includes('://')) return;
  const connection = new Database(database, { readonly: true });
  while (unindexedIn(connection) > 0) await Bun.sleep(POLL_MS);
  connection.close();
}
