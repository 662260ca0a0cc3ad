import { ConnectionLost, isLost, toStorageError } from '../failures.ts';
import { deadlineIn } from './deadline.ts';
import type { SharedPool } from './pools.ts';

/** An idle connection that the server closed says nothing about the server now. A new one does. */
const ATTEMPTS = 3;

/**
 * Checks once whether the database accepts writes, on one of the connections for reads: connections for writes
 * may all be in use while the database is well.
 * @throws StorageError at the first failed attempt to connect, without a pause for retries.
 */
export async function checkWritable(pool: SharedPool, timeoutMs: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const connection = pool.choose();
    try {
      const [row] = await connection.query<{ mode: string }>(
        `SELECT current_setting('transaction_read_only') AS mode FROM animal_store.schema_version`,
        [],
        deadlineIn(timeoutMs),
      );
      if (row?.mode === 'off') return;
      // A new connection may lead to the server that is the primary now.
      if (connection.pending === 0) connection.destroy();
      throw new ConnectionLost('The database is read-only.');
    } catch (error) {
      if (!isLost(error) || attempt === ATTEMPTS) throw toStorageError(error);
    }
  }
}
