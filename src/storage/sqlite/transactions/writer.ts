import type { Database as Sqlite, Statement } from 'bun:sqlite';
import { monotonicMs } from '../../../clock.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import type { OnBatch } from '../../../observe/measurements.ts';
import { batchWindow } from '../../batch-window.ts';
import { type ReaderName, StorageError, type WriteOptions } from '../../database.ts';
import { toStorageErrorOn } from '../failures.ts';
import {
  changedBy,
  groupsOf,
  MAX_WRITES,
  type PendingWrite,
  settle,
  takeBatch,
  type WriteResult,
} from './batch.ts';
import type { Checkpoint } from './checkpoint.ts';
import { WriteLock } from './write-lock.ts';

export interface WriterOptions {
  /** How long a batch waits while another connection holds the write lock. */
  readonly busyTimeoutMs?: number;
  /** Runs before each batch, in its transaction. If it throws, the batch fails and nothing is written. */
  readonly check?: () => void;
  /** Runs after COMMIT, before the writes are acknowledged. If it throws, the batch fails. */
  readonly confirm?: () => void;
  /** Receives the readers whose results a batch will change, before its work, if all of its writes say so. Returns what runs after COMMIT. */
  readonly beginCommit?: (changed: readonly ReaderName[]) => () => void;
  /** Receives each failure that is not a bug, with the number of writes that failed. */
  readonly onFailure?: (failure: unknown, writes: number) => void;
  readonly onBatch?: OnBatch | undefined;
  /** Runs when it is due, after a batch, in a turn of the event loop of its own. */
  readonly checkpoint?: Checkpoint | undefined;
}

const nextTurn = (): Promise<unknown> => new Promise(setImmediate);

/**
 * Group commit: the simultaneous writes of a batch share a transaction, and so one fsync, the most expensive part of a write.
 * Each write resolves after COMMIT, when it is durable. Each has its own savepoint, so that a failed write does not affect the
 * others. Writes of the same kind that follow each other in a batch are a group: they share their work, such as one INSERT.
 */
export class Writer {
  #pending: PendingWrite[] = [];
  #running: Promise<void> | undefined;
  readonly #lock: WriteLock;
  /** Prepared once, not for every write. */
  readonly #statements: Readonly<
    Record<'commit' | 'savepoint' | 'release', Statement<unknown, []>>
  >;

  /** @param connection nothing else writes on it; `work` uses statements of it. */
  constructor(
    readonly connection: Sqlite,
    readonly options: WriterOptions = {},
  ) {
    this.#lock = new WriteLock(connection, options.busyTimeoutMs ?? 5_000);
    const prepare = (sql: string) => connection.prepare<unknown, []>(sql);
    this.#statements = {
      commit: prepare('COMMIT'),
      savepoint: prepare('SAVEPOINT pending_write'),
      release: prepare('RELEASE pending_write'),
    };
  }

  /**
   * Runs `work` in a transaction and resolves with its result once the transaction is durable.
   * If `work` throws, its changes are rolled back, and the promise rejects with what it threw.
   */
  write<T>(work: () => MaybePromise<T>, { onlyChanges, rows = 1 }: WriteOptions = {}): Promise<T> {
    return this.#enqueue({ work, inGroup: undefined, onlyChanges, rows });
  }

  /**
   * The same for one item of work that is faster for many: consecutive writes with the same `groupWork` are a group.
   * If it throws, it is called again with each item alone, so that only the failed ones reject.
   */
  writeInGroup<Item, T>(
    groupWork: (items: readonly Item[]) => readonly T[],
    item: Item,
    onlyChanges?: readonly ReaderName[],
  ): Promise<T> {
    const work = () => groupWork([item])[0] as T;
    const inGroup = { groupWork, item };
    return this.#enqueue({ work, inGroup, onlyChanges, rows: 1 });
  }

  #enqueue<T>(write: Omit<PendingWrite, 'resolve' | 'reject'>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ ...write, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all accepted writes are settled. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0) {
      await batchWindow(this.#pending, MAX_WRITES);
      let batch: PendingWrite[] | undefined;
      try {
        await this.#inWriteTransaction(() => {
          batch = takeBatch(this.#pending);
          settle(batch, this.#commit(batch));
        });
        const { checkpoint } = this.options;
        if (checkpoint?.isDue()) {
          await nextTurn();
          checkpoint.run();
        }
      } catch (error) {
        // Without the write lock all pending writes fail, so none waits longer than the first one.
        const failure = toStorageErrorOn(this.connection, error);
        const failed = batch ?? this.#pending.splice(0);
        this.options.onFailure?.(failure, failed.length);
        for (const write of failed) write.reject(failure);
      }
    }
    this.#running = undefined;
  }

  /**
   * Begins a write transaction and runs `work` in the same turn of the event loop: no read on the
   * same connection runs in between.
   */
  async #inWriteTransaction(work: () => void): Promise<void> {
    try {
      if (!this.#lock.tryBegin()) await this.#lock.begin();
      work();
    } catch (error) {
      if (this.connection.inTransaction) this.connection.run('ROLLBACK');
      throw error;
    }
  }

  #commit(batch: readonly PendingWrite[]): WriteResult[] {
    const { check, confirm, beginCommit, onBatch } = this.options;
    const startedMs = onBatch && monotonicMs();
    check?.();
    const changed = changedBy(batch);
    const endCommit = changed && beginCommit?.(changed);
    const results = groupsOf(batch).flatMap((group) => this.#runGroup(group));
    this.#statements.commit.run();
    endCommit?.();
    confirm?.();
    if (startedMs !== undefined) onBatch?.(batch.length, (monotonicMs() - startedMs) / 1000);
    return results;
  }

  #runGroup(group: readonly PendingWrite[]): WriteResult[] {
    const groupWork = group.length > 1 ? group[0]?.inGroup?.groupWork : undefined;
    if (groupWork !== undefined) {
      const items = group.map((write) => write.inGroup?.item as never);
      const all = this.#runInSavepoint(() => groupWork(items));
      if ('value' in all) return all.value.map((value) => ({ value }));
    }
    return group.map(({ work }) => {
      const result = this.#runInSavepoint(work);
      if ('error' in result) this.options.onFailure?.(result.error, 1);
      return result;
    });
  }

  #runInSavepoint<T>(work: () => MaybePromise<T>): WriteResult<T> {
    this.#statements.savepoint.run();
    let result: WriteResult<T>;
    try {
      result = { value: requireSynchronous(work()) };
    } catch (error) {
      // After a full disk or an I/O error SQLite rolls back the whole transaction. Each later statement
      // would commit on its own, so the whole batch fails.
      if (!this.connection.inTransaction) throw error;
      const failure = toStorageErrorOn(this.connection, error);
      // No write to a damaged file is committed.
      if (failure instanceof StorageError && failure.failure === 'damaged') throw failure;
      this.connection.run('ROLLBACK TO pending_write');
      result = { error: failure };
    }
    this.#statements.release.run();
    return result;
  }
}

/** Asynchronous work would keep open the transaction that it shares with other writes. */
function requireSynchronous<T>(value: MaybePromise<T>): T {
  if (value instanceof Promise) throw new Error('Work in a transaction must be synchronous.');
  return value;
}
