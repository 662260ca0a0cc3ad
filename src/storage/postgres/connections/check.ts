import { monotonicMs } from '../../../clock.ts';
import { shareRuns } from '../../../maybe-promise.ts';
import { type Health, StorageError } from '../../database.ts';
import { ConnectionLost, isLost, toStorageError } from '../failures.ts';
import { deadlineIn } from './deadline.ts';
import type { Activity } from './options.ts';
import type { SharedPool } from './pools.ts';

/** One on a connection that was idle, which may say nothing about the server now, and two on new ones. */
const ATTEMPTS = 3;

/** A database that returns no result for this time is lost. Requests wait longer. */
const PATIENCE_MS = 600;

const NO_RESPONSE = new StorageError(
  'unavailable',
  `The database did not respond within ${PATIENCE_MS} ms.`,
);

/** As `Database.checkHealth`. Simultaneous checks share one statement: anyone can request readiness. */
export function healthCheck(
  pool: SharedPool,
  timeoutMs: number,
  activity: Activity,
): () => Promise<Health> {
  const check = shareRuns(() => checkWritable(pool, timeoutMs));
  return async () => {
    const silence = untilSilent(activity);
    try {
      await Promise.race([check(), silence.lost]);
      return { writes: true };
    } finally {
      silence.end();
    }
  };
}

/** Rejects if the database returns no result for too long. A check may wait for a lock, or behind slow statements, while others get results. */
function untilSilent(activity: Activity): { readonly lost: Promise<never>; end(): void } {
  const startedMs = monotonicMs();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout>;
  let isOver = false;
  const wait = (ms: number): void => {
    // In the next turn of the event loop: a busy process may not have read the response yet.
    timer = setTimeout(() => setImmediate(loseOrWait), ms);
  };
  const loseOrWait = (): void => {
    if (isOver) return;
    const silentMs = monotonicMs() - Math.max(startedMs, activity.lastResultMs);
    if (silentMs < PATIENCE_MS) wait(PATIENCE_MS - silentMs);
    else reject(NO_RESPONSE);
  };
  wait(PATIENCE_MS);
  return {
    lost,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Checks once whether the database accepts writes, on one of the connections for reads: connections for writes
 * may all be in use while the database is well.
 * @throws StorageError at the first failed attempt to connect, without a pause for retries.
 */
async function checkWritable(pool: SharedPool, timeoutMs: number): Promise<void> {
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
async function requireWritable(
  run: (text: string) => Promise<readonly { readonly mode: string }[]>,
): Promise<void> {
  const [row] = await run(
    `SELECT current_setting('transaction_read_only') AS mode FROM animal_store.schema_version`,
  );
  if (row?.mode !== 'off') throw new ConnectionLost('The database is read-only.');
}
