import type { ApiKeyStore } from '../api-keys/api-key-store.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { UsageStore } from '../observe/usage.ts';
import type { PetStore } from '../pets/pet-store.ts';
import type { CatalogueTransfer } from '../transfer/catalogue-transfer.ts';

/** Everything the service keeps, behind the interfaces of the features that use it. Nothing above it knows which engine it is. */
export interface Database {
  readonly pets: PetStore;
  readonly apiKeys: ApiKeyStore;
  readonly usage: UsageStore;
  readonly transfer: CatalogueTransfer;

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
  | 'refused';

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
