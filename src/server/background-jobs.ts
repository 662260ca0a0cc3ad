import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Cause } from '../events/cause.ts';
import { RECORD_LIFETIME_MS } from '../idempotency/idempotent-requests.ts';
import { repeatRuns, shareRuns } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import { firstUsageDay, UsageCounter } from '../observe/usage.ts';
import type { Database } from '../storage/database.ts';
import { type DelivererDeps, WebhookDeliverer } from '../webhooks/webhook-deliverer.ts';

/** The longest delay before an expired order is closed. One query covers all orders, so a restart loses no timer. */
const EXPIRY_INTERVAL_MS = 1_000;

/** The longest period of usage that a killed process loses. */
const USAGE_INTERVAL_MS = 10_000;

/** So that an inventory reads at most the counts of about a second of writes. */
const COMPACTION_INTERVAL_MS = 1_000;

/** Of idempotency records and of the usage of past days. */
const DELETION_INTERVAL_MS = 60 * 60 * 1_000;

/**
 * How much too late an order or an event is deleted at most. Not at once after the start: a clock that is not set yet would delete
 * them too early.
 */
const RETENTION_INTERVAL_MS = 10 * 60 * 1_000;

/** The number of orders or events deleted in one transaction. Requests wait for it: at most two milliseconds on SQLite. */
const RETENTION_BATCH = 100;

/** The longest time for which a committed event waits for its position, unless somebody reads the feed. */
const SEQUENCE_INTERVAL_MS = 200;

/** The longest time for which an event waits for its first attempt, unless an attempt ends before. */
const WEBHOOK_INTERVAL_MS = 200;

/** Between two transactions, so that requests lose about two per cent of the time. At most 500 rows a second are deleted. */
const DELETION_PAUSE_MS = 200;

/** The number of idempotency records deleted in one transaction. Small because requests wait for it. */
const RECORD_DELETION_BATCH = 500;

export interface BackgroundJobDeps {
  readonly database: Database;
  readonly usage: UsageCounter;
  readonly clock: Clock;
  readonly observe: Observe;
  /** How long orders that ended are kept. Infinite: they are never deleted. */
  readonly orderRetentionMs: number;
  /** How long events are kept. Infinite: they are never deleted. */
  readonly eventRetentionMs: number;
  /** Undefined: no webhooks are sent. */
  readonly webhooks?: Pick<DelivererDeps, 'sender' | 'concurrency'> | undefined;
}

const byJob = (job: string, clock: Clock): Cause => ({ actor: { job }, at: clock.now() });

/** Counts the usage that `flush` stores. The list of API keys contains when each was used last. */
export const createUsageCounter = (database: Pick<Database, 'write'>, clock: Clock): UsageCounter =>
  new UsageCounter((usage) =>
    database.write(byJob('usage', clock), (stores) => stores.usage.add(usage), {
      onlyChanges: ['usage', 'apiKeys'],
    }),
  );

type CreatedDeliverer = Omit<DelivererDeps, 'read' | 'write'> & Pick<BackgroundJobDeps, 'database'>;

/** Creates what delivers webhooks, on a database. */
export const createDeliverer = ({ database, ...deps }: CreatedDeliverer): WebhookDeliverer =>
  new WebhookDeliverer({
    ...deps,
    read: database.read.webhooks,
    write: (work, recordsEvents) =>
      database.write(byJob('deliver-webhooks', deps.clock), ({ webhooks }) => work(webhooks), {
        onlyChanges: recordsEvents ? ['webhooks', 'events'] : ['webhooks'],
      }),
  });

interface BackgroundJobs {
  /** How often each job has failed since it last succeeded. A job is missing until its first run ends. */
  readonly failures: () => ReadonlyMap<string, number>;
  /** Stops the jobs and flushes usage. */
  readonly stop: () => Promise<void>;
  /** Ends the sending of webhooks. @param deadlineMs how long attempts in progress may take. */
  readonly stopWebhooks: (deadlineMs: number) => Promise<void>;
}

export function startBackgroundJobs(deps: BackgroundJobDeps): BackgroundJobs {
  const { database, usage, observe } = deps;
  const failures = new Map<string, number>();
  /** Reports a failure. The next run may succeed. */
  const job = (name: string, run: () => Promise<unknown>) => () =>
    run().then(
      () => void failures.set(name, 0),
      (error: unknown) => {
        failures.set(name, (failures.get(name) ?? 0) + 1);
        observe({ kind: 'background_job_failed', error });
      },
    );
  const timers: ReturnType<typeof setInterval>[] = [];
  const every = (intervalMs: number, name: string, run: () => Promise<unknown>) => {
    const start = job(name, run);
    timers.push(setInterval(start, intervalMs));
    return start;
  };
  let isStopped = false;
  const pause = () => sleep(DELETION_PAUSE_MS).then(() => !isStopped);
  const deleteOrders = shareRuns(() => deleteEndedOrders(deps, pause));
  const deleteEvents = shareRuns(() => deleteOldEvents(deps, pause));
  const sequence = shareRuns(async () => {
    while (await database.sequenceEvents());
  });
  const expire = every(EXPIRY_INTERVAL_MS, 'expire-orders', () => expireOrders(deps));
  every(COMPACTION_INTERVAL_MS, 'compact-inventory', async () => database.compactInventory());
  const flushUsage = every(USAGE_INTERVAL_MS, 'usage', () => usage.flush());
  const deleteRecords = every(DELETION_INTERVAL_MS, 'delete-idempotency-records', () =>
    deleteExpiredRecords(deps),
  );
  const deleteUsage = every(DELETION_INTERVAL_MS, 'delete-old-usage', () => deleteOldUsage(deps));
  every(RETENTION_INTERVAL_MS, 'delete-ended-orders', deleteOrders);
  every(RETENTION_INTERVAL_MS, 'delete-old-events', deleteEvents);
  const sequenceEvents = every(SEQUENCE_INTERVAL_MS, 'sequence-events', sequence);
  const deliverer =
    deps.webhooks &&
    createDeliverer({ ...deps, ...deps.webhooks, random: Math.random, wake: () => deliver() });
  const deliver = repeatRuns(job('deliver-webhooks', async () => deliverer?.run()));
  if (deliverer) timers.push(setInterval(deliver, WEBHOOK_INTERVAL_MS));
  if (deliverer) every(RETENTION_INTERVAL_MS, 'reseal-webhook-secrets', () => deliverer.reseal())();
  expire();
  deleteRecords();
  deleteUsage();
  return {
    failures: () => failures,
    stopWebhooks: async (deadlineMs) => deliverer?.stop(deadlineMs),
    async stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      // It also waits for a run of these in progress, which must not find the connections closed.
      await Promise.all([flushUsage(), sequenceEvents(), deliver()]);
    },
  };
}

/** Expires the orders that are due. Reads before it writes because usually no order is due. */
export async function expireOrders({
  database,
  clock,
  observe,
}: Pick<BackgroundJobDeps, 'database' | 'clock' | 'observe'>): Promise<void> {
  const now = clock.now();
  while (await database.read.orders.isExpiryDue(now)) {
    const cause = byJob('expire-orders', clock);
    const { length: count } = await database.write(cause, ({ orders }) => orders.expire(now), {
      onlyChanges: ['orders', 'pets', 'events'],
    });
    if (count === 0) return; // Another instance expired them.
    observe({ kind: 'orders_expired', count });
  }
}

/**
 * Deletes the orders that ended before the retention. Reads before it writes, as above.
 * @param pause runs between two transactions, and resolves with whether to go on.
 */
export async function deleteEndedOrders(
  {
    database,
    clock,
    observe,
    orderRetentionMs,
  }: Pick<BackgroundJobDeps, 'database' | 'clock' | 'observe' | 'orderRetentionMs'>,
  pause: () => Promise<boolean>,
): Promise<void> {
  if (orderRetentionMs === Number.POSITIVE_INFINITY) return;
  const time = clock.now() - orderRetentionMs;
  let count = 0;
  try {
    while (await database.read.orders.hasEndedBefore(time)) {
      const { length: deleted } = await database.write(
        byJob('delete-ended-orders', clock),
        ({ orders }) => orders.deleteEndedBefore(time, RETENTION_BATCH),
        { onlyChanges: ['orders', 'events'] },
      );
      if (deleted === 0) break; // Another instance deletes them, or they must stay for now.
      count += deleted;
      if (!(await pause())) break;
    }
  } finally {
    if (count > 0) observe({ kind: 'orders_deleted', count });
  }
}

/**
 * Deletes the events that are older than the retention. Reads before it writes, as above.
 * @param pause as above.
 */
export async function deleteOldEvents(
  {
    database,
    clock,
    eventRetentionMs,
  }: Pick<BackgroundJobDeps, 'database' | 'clock' | 'eventRetentionMs'>,
  pause: () => Promise<boolean>,
): Promise<void> {
  if (eventRetentionMs === Number.POSITIVE_INFINITY) return;
  const time = clock.now() - eventRetentionMs;
  while (((await database.read.events.times()).oldestAt ?? time) < time) {
    const deleted = await database.write(
      byJob('delete-old-events', clock),
      ({ events }) => events.deleteBefore(time, RETENTION_BATCH),
      { onlyChanges: ['events', 'webhooks'] },
    );
    if (deleted === 0 || !(await pause())) return; // Another instance deletes them, or the service stops.
  }
}

/** Deletes the idempotency records whose lifetime has passed. */
async function deleteExpiredRecords({ database, clock }: BackgroundJobDeps): Promise<void> {
  const time = clock.now() - RECORD_LIFETIME_MS;
  let deleted: number;
  do {
    deleted = await database.write(
      byJob('delete-idempotency-records', clock),
      ({ idempotencyRecords }) => idempotencyRecords.deleteBefore(time, RECORD_DELETION_BATCH),
      { onlyChanges: [] },
    );
  } while (deleted === RECORD_DELETION_BATCH);
}

/** Deletes the calls per day of the days that are no longer reported. */
function deleteOldUsage({ database, clock }: BackgroundJobDeps): Promise<void> {
  return database.write(
    byJob('delete-old-usage', clock),
    ({ usage }) => usage.deleteDaysBefore(firstUsageDay(clock.now())),
    { onlyChanges: ['usage'] },
  );
}
