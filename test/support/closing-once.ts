import type { Database } from '../../src/storage/database.ts';

/** The same database, whose `close` does nothing the second time. */
export function closingOnce(database: Database): Database {
  let closed: Promise<void> | undefined;
  return {
    ...database,
    close() {
      closed ??= database.close();
      return closed;
    },
  };
}
