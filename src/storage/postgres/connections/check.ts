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
      return await requireWritable((text) => connection.query(text, [], deadlineIn(timeoutMs)));
    } catch (error) {
      // A new connection may lead to the server that is the primary now.
      if (error instanceof ConnectionLost && connection.pending === 0) connection.destroy();
      if (!isLost(error) || attempt === ATTEMPTS) throw toStorageError(error);
    }
  }
}

/** @throws ConnectionLost if the session is read-only: another connection may lead to the primary. */
export async function requireWritable(
  run: (text: string) => Promise<readonly { readonly mode: string }[]>,
): Promise<void> {
  const [row] = await run(
    `SELECT current_setting('transaction_read_only') AS mode FROM animal_store.schema_version`,
  );
  if (row?.mode !== 'off') throw new ConnectionLost('The database is read-only.');
}
