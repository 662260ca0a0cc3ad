import type { ApiKeyReader, ApiKeyStore } from '../api-keys/api-key-store.ts';
import type { CategoryReader, CategoryStore } from '../categories/category-store.ts';
import type { Cause, RequestCause } from '../events/cause.ts';
import type { EventReader, EventStore } from '../events/event-store.ts';
import type { IdempotencyRecordStore } from '../idempotency/idempotency-record-store.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { StorageMeasurements } from '../observe/measurements.ts';
import type { UsageReader, UsageStore } from '../observe/usage.ts';
import type { OrderReader, OrderStore } from '../orders/order-store.ts';
import type { NewPet, Pet } from '../pets/pet.ts';
import type { PetReader, PetStore } from '../pets/pet-store.ts';
import type { CatalogueTransfer } from '../transfer/catalogue-transfer.ts';
import type { WebhookReader, WebhookStore } from '../webhooks/webhook-store.ts';

/** The readers outside of transactions. Each call sees all transactions committed before it, or before `inSnapshot` began. */
export interface Readers {
  readonly pets: PetReader;
  readonly categories: CategoryReader;
  readonly orders: OrderReader;
  readonly apiKeys: ApiKeyReader;
  readonly usage: UsageReader;
  readonly events: EventReader;
  readonly webhooks: WebhookReader;
}

export type ReaderName = keyof Readers;

/** The readers whose results depend on no API key. A new reader does not compile until it is in the list. */
const WITHOUT_KEYS: Readonly<Record<Exclude<ReaderName, 'apiKeys' | 'usage'>, true>> = {
  pets: true,
  categories: true,
  orders: true,
  events: true,
  webhooks: true,
};

/** What a write can change that changes no API key. */
export const CATALOGUE_READERS = Object.keys(WITHOUT_KEYS) as readonly ReaderName[];

/** The stores within one transaction. */
export interface Stores {
  readonly pets: PetStore;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly idempotencyRecords: IdempotencyRecordStore;
  readonly apiKeys: ApiKeyStore;
  readonly usage: UsageStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
}

export interface WriteOptions {
  /**
   * Whether `work` detects that an earlier attempt was committed. Only then it is retried after the
   * connection was lost during COMMIT, when the outcome is unknown. Default: false.
   */
  readonly isRepeatable?: boolean;
  /**
   * Whether `work` may take longer than a request: PostgreSQL then runs it without the timeout, on a connection of its own, once. SQLite
   * ignores it. Default: false.
   */
  readonly isLong?: boolean;
  /**
   * The readers whose results `work` can change. `version` then stays the same if no other process commits at the same time, and
   * `changesOf` these readers grows. `work` must not change whether an API key is valid. Default: any. PostgreSQL ignores it.
   */
  readonly onlyChanges?: readonly ReaderName[] | undefined;
  /**
   * About how many rows `work` changes, if these are many. SQLite limits the rows of a transaction that writes share, because
   * reads wait for it. PostgreSQL ignores it.
   */
  readonly rows?: number;
}

/** The storage of the service, the same for both engines. */
export interface Database {
  readonly read: Readers;

  /** Adds an animal durably, in a transaction that several additions may share: none reads anything. @throws StorageError */
  addPet(cause: RequestCause, pet: NewPet): Promise<Pet>;

  /**
   * Runs `work` in one transaction, and resolves with its result once the transaction is durable. The
   * stores record an event of each change, with this cause, in the same transaction. If `work` throws, its changes are rolled back. `work` must wait for the stores only: SQLite runs it
   * synchronously, in a transaction shared with other requests. PostgreSQL may run it several times.
   * @throws StorageError, or what `work` throws.
   */
  write<T>(
    cause: Cause,
    work: (stores: Stores) => MaybePromise<T>,
    options?: WriteOptions,
  ): Promise<T>;

  readonly transfer: CatalogueTransfer;

  /**
   * Runs `work` once, synchronously, and throws only what `work` throws. SQLite executes the reads of
   * `work` in one read transaction, so they see the same snapshot. PostgreSQL only runs `work`.
   */
  inSnapshot(this: void, work: () => void): void;

  /** Whether readers return values, not promises. */
  readonly readsSynchronously: boolean;

  /**
   * A number that stays the same as long as what was read before may be used again. SQLite: it changes on every commit of
   * any process without `onlyChanges`, before the commit is acknowledged; within `inSnapshot`, it is the number from before the snapshot.
   * PostgreSQL: it is valid for API keys only (`versionsKeysOnly`).
   * @throws StorageError if the storage is known to be damaged, or not in its place.
   */
  version(): number;

  /**
   * Whether `version` ignores all changes but those of API keys. PostgreSQL: true because an instance does not know the commits
   * of others. The number changes when this instance invalidates a key, and every five seconds because of the others.
   */
  readonly versionsKeysOnly: boolean;

  /** A number that grows when a write with `onlyChanges` has changed the results of one of these readers, before it resolves. */
  changesOf(readers: Iterable<string>): number;

  /**
   * Checks that the service can use the storage. SQLite: the file is in its place and readable. While it is not in
   * its place, `version` throws, too. PostgreSQL: the database responds, and accepts writes.
   * @throws StorageError otherwise, without a retry.
   */
  checkHealth(): MaybePromise<Health>;

  /**
   * Keeps the inventory fast. PostgreSQL stores rows of counts for each statement that changes animals: replaces
   * these rows by their sums if there are many. SQLite: does nothing.
   * @throws StorageError
   */
  compactInventory(): MaybePromise<void>;

  /**
   * PostgreSQL: moves the events of committed transactions into the feed, in which they get their positions. Returns whether
   * there may be more. SQLite: does nothing because its transactions commit in their order.
   * @throws StorageError
   */
  sequenceEvents(): MaybePromise<boolean>;

  /**
   * The newest time at which something was stored, in milliseconds since 1970-01-01T00:00:00Z; undefined if there is none.
   * @throws StorageError
   */
  newestTime(): MaybePromise<number | undefined>;

  /**
   * When the command `backup` last succeeded, in milliseconds since 1970-01-01T00:00:00Z; null: never. PostgreSQL: undefined,
   * because its own tools make the backups.
   * @throws StorageError
   */
  lastBackupAt(): MaybePromise<number | null | undefined>;

  /** Reads what the metrics need, at once and without a query. */
  measure(): StorageMeasurements;

  /** Waits for the accepted writes, then closes all connections. */
  close(): Promise<void>;
}

/** What works of a storage that can be used. */
export interface Health {
  /** False while the disk of SQLite is full. Reads go on. */
  readonly writes: boolean;
}

export type StorageFailure =
  /** It is unreachable or locked. A retry may succeed. */
  | 'unavailable'
  /** No disk space is left. */
  | 'full'
  /** This program cannot use the file or server. */
  | 'refused'
  /** It contains no catalogue, and creating one is not allowed. */
  | 'absent'
  /** The stored data is damaged. A backup must be restored. */
  | 'damaged';

/** A failed read or write. A failed write changed nothing, unless the connection was lost during COMMIT. */
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

/**
 * Whether a constraint refused rows (`SQLITE_CONSTRAINT_…`, or class 23 of PostgreSQL), or a trigger (P0001 of PostgreSQL). If
 * the rows are valid, it is one of the operator, such as a UNIQUE index.
 */
export const isConstraintError = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^(?:SQLITE_CONSTRAINT|23...$|P0001$)/.test(String(error.code));
