import type { MaybePromise } from '../maybe-promise.ts';

/** How often, and when last, one key called one operation. */
export interface OperationUsage {
  readonly keyId: number;
  readonly operationId: string;
  readonly calls: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly lastCalledAt: number;
}

export type NamedUsage = OperationUsage & { readonly keyName: string };

/** Reads stored usage. Throws `StorageError`. */
export interface UsageReader {
  /** Returns all usage, ascending by operation, then by key. */
  list(): MaybePromise<NamedUsage[]>;
}

/** Reads and changes usage within a transaction. */
export interface UsageStore extends UsageReader {
  /** Adds calls to those already stored. */
  add(usage: readonly OperationUsage[]): MaybePromise<void>;
}

interface Count {
  calls: number;
  lastCalledAt: number;
}

/**
 * Counts calls in memory, so that counting costs a request almost nothing. `flush` stores the
 * counts. A killed process loses the calls since the last flush.
 */
export class UsageCounter {
  readonly #write: (usage: readonly OperationUsage[]) => Promise<void>;
  #counted = new Map<number, Map<string, Count>>();

  /** @param write stores usage durably. */
  constructor(write: (usage: readonly OperationUsage[]) => Promise<void>) {
    this.#write = write;
  }

  count(keyId: number, operationId: string, lastCalledAt: number, calls = 1): void {
    let counts = this.#counted.get(keyId);
    if (counts === undefined) {
      counts = new Map();
      this.#counted.set(keyId, counts);
    }
    const count = counts.get(operationId);
    if (count === undefined) {
      counts.set(operationId, { calls, lastCalledAt });
    } else {
      count.calls += calls;
      if (lastCalledAt > count.lastCalledAt) count.lastCalledAt = lastCalledAt;
    }
  }

  /** Stores the calls since the last flush. If that fails, the next flush includes them. */
  async flush(): Promise<void> {
    if (this.#counted.size === 0) return;
    const counted = [...this.#counted].flatMap(([keyId, counts]) =>
      [...counts].map(([operationId, count]) => ({ keyId, operationId, ...count })),
    );
    this.#counted.clear();
    try {
      await this.#write(counted);
    } catch (error) {
      for (const usage of counted) {
        this.count(usage.keyId, usage.operationId, usage.lastCalledAt, usage.calls);
      }
      throw error;
    }
  }
}
