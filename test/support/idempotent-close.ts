import type { Database } from '../../src/storage/database.ts';

const closed = new WeakSet<Database>();

export const isClosed = (database: Database): boolean => closed.has(database);

/** Returns the database with an idempotent `close`. */
export function withIdempotentClose(database: Database): Database {
  let closing: Promise<void> | undefined;
  const one: Database = {
    ...database,
    close() {
      closed.add(one);
      closing ??= database.close();
      return closing;
    },
  };
  return one;
}
