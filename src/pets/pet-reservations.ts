import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** The reservations of animals by open orders, within a transaction. Failures are thrown as `StorageError`. */
export interface PetReservations {
  /** Whether an open order reserves the animal. */
  isReserved(petId: Int64): MaybePromise<boolean>;

  /**
   * Expires the placed orders whose time is up by `now`, in milliseconds since
   * 1970-01-01T00:00:00Z, and makes their animals available: all of them, or as many as fit in one
   * transaction. Returns one item for each.
   */
  expire(now: number): MaybePromise<readonly object[]>;
}
