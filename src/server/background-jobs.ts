import type { Clock } from '../clock.ts';
import { RECORD_LIFETIME_MS } from '../idempotency/idempotent-requests.ts';
import type { Observe } from '../observe/observation.ts';
import type { UsageCounter } from '../observe/usage.ts';
import type { Database } from '../storage/database.ts';

/** How late an order expires at most. One look for all orders: none has a timer of its own, and a restart forgets nothing. */
const EXPIRY_INTERVAL_MS = 1_000;

/** How much of the usage a killed process forgets at most. */
const USAGE_INTERVAL_MS = 10_000;

const FORGETTING_INTERVAL_MS = 60 * 60 * 1_000;

/** How many answers are forgotten in one transaction: few, since requests wait meanwhile. */
const FORGETTING_BATCH = 500;

export interface BackgroundJobDeps {
  readonly database: Database;
  readonly usage: UsageCounter;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** Does what has to be done now and then, until the returned function is called, which does the last of it. */
export function startBackgroundJobs(deps: BackgroundJobDeps): () => Promise<void> {
  const { usage, observe } = deps;
  /** Failures are told of; the next time may go better. */
  const trying = (task: () => Promise<unknown>) => () =>
    task().catch((error: unknown) => observe({ kind: 'background_job_failed', error }));
  const expire = trying(() => expireOrders(deps));
  const writeUsage = trying(() => usage.flush());
  const forget = trying(() => forgetAnswers(deps));
  const timers = [
    setInterval(expire, EXPIRY_INTERVAL_MS),
    setInterval(writeUsage, USAGE_INTERVAL_MS),
    setInterval(forget, FORGETTING_INTERVAL_MS),
  ];
  expire();
  forget();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await writeUsage();
  };
}

/** Ends the orders whose time is up. Looks before it writes, since mostly there is none. */
export async function expireOrders({
  database,
  clock,
  observe,
}: Omit<BackgroundJobDeps, 'usage'>): Promise<void> {
  const now = clock.now();
  while (await database.read.orders.isExpiryDue(now)) {
    const count = await database.write(({ orders }) => orders.expire(now));
    if (count === 0) return; // another instance was first
    observe({ kind: 'orders_expired', count });
  }
}

/** Forgets answers that are kept for longer than a retry may come. */
async function forgetAnswers({ database, clock }: BackgroundJobDeps): Promise<void> {
  const time = clock.now() - RECORD_LIFETIME_MS;
  let forgotten: number;
  do {
    forgotten = await database.write(({ idempotencyRecords }) =>
      idempotencyRecords.deleteBefore(time, FORGETTING_BATCH),
    );
  } while (forgotten === FORGETTING_BATCH);
}
