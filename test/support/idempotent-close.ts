import type { Database } from '../../src/storage/database.ts';

/** Returns the database with an idempotent `close`. */
export function withIdempotentClose(database: Database): Database {
  let closed: Promise<void> | undefined;
  return {
    ...database,
    close() {
      closed ??= database.close();
      return closed;
    },
  };
}
