import { DAY_MS, toIsoDate } from '../clock.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** How often, and when last, one key called one operation. All calls count for the day of the last one. */
export interface OperationUsage {
  readonly keyId: number;
  readonly operationId: string;
  readonly calls: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly lastCalledAt: number;
}

export type NamedUsage = OperationUsage & { readonly keyName: string };

/** One of the latest callers of an operation, with figures of all its callers. */
export type LatestUsage = NamedUsage & {
  /** The calls by all keys. */
  readonly totalCalls: number;
  /** The number of keys that called the operation. */
  readonly keyCount: number;
};

/** How often all keys together called one operation on one day. */
export interface DailyUsage {
  /** Days since 1970-01-01, in UTC. */
  readonly day: number;
  readonly operationId: string;
  readonly calls: number;
}

/** Reads stored usage. Throws `StorageError`. */
export interface UsageReader {
  /** Returns all usage, ascending by operation, then by key. */
  list(): MaybePromise<NamedUsage[]>;

  /** Returns the `count` keys that called each operation last, ascending by operation, the latest call first. */
  listLatest(count: number): MaybePromise<LatestUsage[]>;

  /** Returns the calls since the beginning of a day, ascending by operation, then by day. Days without calls are left out. */
  listDays(firstDay: number): MaybePromise<DailyUsage[]>;
}

/** Reads and changes usage within a transaction. */
export interface UsageStore extends UsageReader {
  /** Adds calls to those already stored, of each key and of each day. */
  add(usage: readonly OperationUsage[]): MaybePromise<void>;

  /** Deletes the calls per day before the beginning of a day. The calls of each key stay. */
  deleteDaysBefore(day: number): MaybePromise<void>;
}

/** How many days of usage are stored, with today. */
export const USAGE_DAYS = 30;

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** The first of the days whose usage is stored. */
export const firstUsageDay = (nowMs: number): number => dayOf(nowMs) - USAGE_DAYS + 1;

/** A day as RFC 3339 full-date, such as `2027-01-01`. */
export const formatDay = (day: number): string => toIsoDate(day * DAY_MS);

/** Sums the calls of all keys by day and operation. */
export function byDay(usage: readonly OperationUsage[]): DailyUsage[] {
  const sums = new Map<string, DailyUsage>();
  for (const { operationId, calls, lastCalledAt } of usage) {
    const day = dayOf(lastCalledAt);
    const name = `${day} ${operationId}`;
    const sum = sums.get(name)?.calls ?? 0;
    sums.set(name, { day, operationId, calls: sum + calls });
  }
  return [...sums.values()];
}

interface Count {
  calls: number;
  lastCalledAt: number;
}

/**
 * Counts calls in memory, so that counting costs a request almost nothing. `flush` stores the
 * counts. A killed process loses the calls since the last flush. The calls between two flushes count
 * for the day of the last one, so that no request computes a date.
 */
export class UsageCounter {
  #counted = new Map<number, Map<string, Count>>();
  /** Counts that could not be stored. The next flush merges them into one for each key, operation and day. */
  #unstored: OperationUsage[] = [];

  /** @param write stores usage durably. */
  constructor(private readonly write: (usage: readonly OperationUsage[]) => Promise<void>) {}

  count(keyId: number, operationId: string, lastCalledAt: number): void {
    let counts = this.#counted.get(keyId);
    if (counts === undefined) {
      counts = new Map();
      this.#counted.set(keyId, counts);
    }
    const count = counts.get(operationId);
    if (count === undefined) {
      counts.set(operationId, { calls: 1, lastCalledAt });
    } else {
      count.calls += 1;
      if (lastCalledAt > count.lastCalledAt) count.lastCalledAt = lastCalledAt;
    }
  }

  /** Stores the calls since the last flush. If that fails, the next flush includes them. */
  async flush(): Promise<void> {
    const counted = [...this.#counted].flatMap(([keyId, counts]) =>
      [...counts].map(([operationId, count]) => ({ keyId, operationId, ...count })),
    );
    const usage = merge([...this.#unstored, ...counted]);
    if (usage.length === 0) return;
    this.#counted.clear();
    this.#unstored = [];
    try {
      await this.write(usage);
    } catch (error) {
      this.#unstored.push(...usage);
      throw error;
    }
  }
}

/** Sums the calls of each key to each operation, separately for each day. */
function merge(usage: readonly OperationUsage[]): OperationUsage[] {
  const merged = new Map<string, OperationUsage>();
  for (const one of usage) {
    const name = `${one.keyId} ${dayOf(one.lastCalledAt)} ${one.operationId}`;
    const other = merged.get(name);
    const calls = one.calls + (other?.calls ?? 0);
    const lastCalledAt = Math.max(one.lastCalledAt, other?.lastCalledAt ?? 0);
    merged.set(name, { ...one, calls, lastCalledAt });
  }
  return [...merged.values()];
}
