import { ConnectionLost, isLost, toStorageError } from '../failures.ts';
import { deadlineIn } from './deadline.ts';
import type { SharedPool } from './pools.ts';

/** One on a connection that was idle, which may say nothing about the server now, and two on new ones. */
const ATTEMPTS = 3;

/**
 * Checks once whether the database accepts writes, on one of the connections for reads: connections for writes
 * may all be in use while the database is well.
 * @throws StorageError at the first failed attempt to connect, without a pause for retries.
 */
export async function checkWritable(pool: SharedPool, timeoutMs: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requireWritable((text) => pool.choose().query(text, [], deadlineIn(timeoutMs)));
    } catch (error) {
      if (isLost(error)) pool.closeIdle();
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
