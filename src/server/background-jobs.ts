import type { Clock } from '../clock.ts';
import { RECORD_LIFETIME_MS } from '../idempotency/idempotent-requests.ts';
import type { Observe } from '../observe/observation.ts';
import { firstUsageDay, UsageCounter } from '../observe/usage.ts';
import type { Database } from '../storage/database.ts';
import { NameIndexer } from './name-indexer.ts';

/** The longest delay before an expired order is closed. One query covers all orders, so a restart loses no timer. */
const EXPIRY_INTERVAL_MS = 1_000;

/** The longest period of usage that a killed process loses. */
const USAGE_INTERVAL_MS = 10_000;

/** So that an inventory reads at most the counts of about a second of writes. */
const COMPACTION_INTERVAL_MS = 1_000;

const INDEXING_INTERVAL_MS = 200;

const DELETION_INTERVAL_MS = 60 * 60 * 1_000;

/** The number of idempotency records deleted in one transaction. Small because requests wait for it. */
const DELETION_BATCH = 500;

export interface BackgroundJobDeps {
  readonly database: Database;
  readonly usage: UsageCounter;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** Counts the usage that `flush` stores. The list of API keys contains when each was used last. */
export const createUsageCounter = (database: Pick<Database, 'write'>): UsageCounter =>
  new UsageCounter((usage) =>
    database.write((stores) => stores.usage.add(usage), { onlyChanges: ['usage', 'apiKeys'] }),
  );

interface BackgroundJobs {
  /** The animals that were not in the index of names when this was last known. */
  readonly unindexedAnimals: () => number;
  /** Stops the jobs and flushes usage. */
  readonly stop: () => Promise<void>;
}

export function startBackgroundJobs(deps: BackgroundJobDeps): BackgroundJobs {
  const { database, usage, observe } = deps;
  /** Reports a failure. The next run may succeed. */
  const job = (run: () => Promise<unknown>) => () =>
    run().catch((error: unknown) => observe({ kind: 'background_job_failed', error }));
  const expire = job(() => expireOrders(deps));
  const flushUsage = job(() => usage.flush());
  const deleteRecords = job(() => deleteExpiredRecords(deps));
  const deleteUsage = job(() => deleteOldUsage(deps));
  const indexer = new NameIndexer(database.names);
  const compactInventory = job(async () => database.compactInventory());
  const timers = [
    setInterval(expire, EXPIRY_INTERVAL_MS),
    setInterval(compactInventory, COMPACTION_INTERVAL_MS),
    setInterval(job(indexer.run), INDEXING_INTERVAL_MS),
    setInterval(flushUsage, USAGE_INTERVAL_MS),
    setInterval(deleteRecords, DELETION_INTERVAL_MS),
    setInterval(deleteUsage, DELETION_INTERVAL_MS),
  ];
  expire();
  deleteRecords();
  deleteUsage();
  return {
    unindexedAnimals: () => indexer.waiting,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await flushUsage();
    },
  };
}

/** Expires the orders that are due. Reads before it writes because usually no order is due. */
export async function expireOrders({
  database,
  clock,
  observe,
}: Omit<BackgroundJobDeps, 'usage'>): Promise<void> {
  const now = clock.now();
  while (await database.read.orders.isExpiryDue(now)) {
    const count = await database.write(({ orders }) => orders.expire(now), {
      onlyChanges: ['orders', 'pets'],
    });
    if (count === 0) return; // Another instance expired them.
    observe({ kind: 'orders_expired', count });
  }
}

/** Deletes the idempotency records whose lifetime has passed. */
async function deleteExpiredRecords({ database, clock }: BackgroundJobDeps): Promise<void> {
  const time = clock.now() - RECORD_LIFETIME_MS;
  let deleted: number;
  do {
    deleted = await database.write(
      ({ idempotencyRecords }) => idempotencyRecords.deleteBefore(time, DELETION_BATCH),
      { onlyChanges: [] },
    );
  } while (deleted === DELETION_BATCH);
}

/** Deletes the calls per day of the days that are no longer reported. */
function deleteOldUsage({ database, clock }: BackgroundJobDeps): Promise<void> {
  return database.write(({ usage }) => usage.deleteDaysBefore(firstUsageDay(clock.now())), {
    onlyChanges: ['usage'],
  });
}
