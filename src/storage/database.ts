import type { ApiKeyReader, ApiKeyStore } from '../api-keys/api-key-store.ts';
import type { CategoryReader, CategoryStore } from '../categories/category-store.ts';
import type { IdempotencyRecordStore } from '../idempotency/idempotency-record-store.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { UsageReader, UsageStore } from '../observe/usage.ts';
import type { OrderReader, OrderStore } from '../orders/order-store.ts';
import type { PetAdder, PetReader, PetStore } from '../pets/pet-store.ts';
import type { CatalogueTransfer } from '../transfer/catalogue-transfer.ts';

/** What can be read at any time. Each call sees everything committed before it, or before `inSnapshot` began. */
export interface Readers {
  readonly pets: PetReader;
  readonly categories: CategoryReader;
  readonly orders: OrderReader;
  readonly apiKeys: ApiKeyReader;
  readonly usage: UsageReader;
}

/** What can be read and changed within one transaction. */
export interface Stores {
  readonly pets: PetStore;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly idempotencyRecords: IdempotencyRecordStore;
  readonly apiKeys: ApiKeyStore;
  readonly usage: UsageStore;
}

/**
 * Changes that depend on nothing that is stored. Each is a transaction of its own, and durable when
 * it resolves: an engine may carry out several of them together.
 */
export interface BlindWrites {
  readonly pets: PetAdder;
}

interface WriteOptions {
  /**
   * Whether `work` finds out by itself that it was done before. Only then it is run again when
   * nobody can tell whether it was: a connection may be lost while it commits.
   */
  readonly isRepeatable?: boolean;
}

/** Everything the service keeps, behind the interfaces of the features that use it. Nothing above it knows which engine it is. */
export interface Database {
  readonly read: Readers;

  readonly blind: BlindWrites;

  /**
   * Runs `work` in one transaction, and resolves with its result once that is durable. When
   * `work` throws, nothing of it is kept. It must wait for nothing but the stores (an engine may
   * be synchronous, and run others' work in the same transaction), and may be run more than once.
   * @throws StorageError, or what `work` throws.
   */
  write<T>(work: (stores: Stores) => MaybePromise<T>, options?: WriteOptions): Promise<T>;

  readonly transfer: CatalogueTransfer;

  /**
   * Runs `work`, once, before it returns, and throws only what `work` throws. What is read
   * meanwhile without waiting may all be of the moment when it began: an engine then need not look
   * for something newer each time.
   */
  inSnapshot(this: void, work: () => void): void;

  /** Whether reads are answered without waiting. */
  readonly readsSynchronously: boolean;

  /**
   * A number that changes with every change that anybody commits, before whoever made it is told;
   * undefined where the engine cannot tell that at once.
   * @throws StorageError when the storage was found to be damaged.
   */
  version(): number | undefined;

  /** Resolves when storage answers. @throws StorageError otherwise. */
  ping(): MaybePromise<void>;

  /** Waits for the writes already accepted, then leaves everything on disk and lets go of it. */
  close(): Promise<void>;
}

export type StorageFailure =
  /** It cannot be reached or is held by another: trying again later may succeed. */
  | 'unavailable'
  /** There is no room left. */
  | 'full'
  /** The file or server is not one that this program may use. */
  | 'refused'
  /** It holds no catalogue yet, and none may be made. */
  | 'absent'
  /** What is stored is damaged: a backup has to take its place. */
  | 'damaged';

/** Storage could not do what was asked, and nothing of it was done. */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    readonly failure: StorageFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
