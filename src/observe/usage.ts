import type { MaybePromise } from '../maybe-promise.ts';

/** How often and when last one key called one operation. */
export interface OperationUsage {
  readonly keyId: number;
  readonly operationId: string;
  readonly calls: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly lastCalledAt: number;
}

export type NamedUsage = OperationUsage & { readonly keyName: string };

/** Where usage is found. Failures are thrown as `StorageError`. */
export interface UsageReader {
  /** Ascending by operation, then by key. */
  list(): MaybePromise<NamedUsage[]>;
}

/** The same, within a transaction that may change it. */
export interface UsageStore extends UsageReader {
  /** Adds calls to what is kept already. */
  add(usage: readonly OperationUsage[]): MaybePromise<void>;
}

interface Count {
  calls: number;
  lastCalledAt: number;
}

/**
 * Counts calls in memory and writes them down now and then, so that counting costs a request
 * next to nothing. A process that is killed forgets what it counted since it last wrote.
 */
export class UsageCounter {
  readonly #write: (usage: readonly OperationUsage[]) => Promise<void>;
  #counted = new Map<number, Map<string, Count>>();

  /** `write` makes usage durable. */
  constructor(write: (usage: readonly OperationUsage[]) => Promise<void>) {
    this.#write = write;
  }

  count(keyId: number, operationId: string, lastCalledAt: number, calls = 1): void {
    let ofKey = this.#counted.get(keyId);
    if (ofKey === undefined) {
      ofKey = new Map();
      this.#counted.set(keyId, ofKey);
    }
    const count = ofKey.get(operationId);
    if (count === undefined) {
      ofKey.set(operationId, { calls, lastCalledAt });
    } else {
      count.calls += calls;
      if (lastCalledAt > count.lastCalledAt) count.lastCalledAt = lastCalledAt;
    }
  }

  /** Writes down what was counted since the last time. What could not be written is kept for the next. */
  async flush(): Promise<void> {
    if (this.#counted.size === 0) return;
    const counted = [...this.#counted].flatMap(([keyId, ofKey]) =>
      [...ofKey].map(([operationId, count]) => ({ keyId, operationId, ...count })),
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
