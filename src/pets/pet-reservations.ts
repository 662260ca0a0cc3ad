import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** One order, or the open order of one animal. */
export interface AskedOrder {
  readonly id?: Int64;
  readonly petId?: Int64;
}

/** The reservations of animals by open orders, within a transaction. Failures are thrown as `StorageError`. */
export interface PetReservations {
  /** Whether an open order reserves the animal. */
  isReserved(petId: Int64): MaybePromise<boolean>;

  /**
   * Expires placed orders whose time is up by `now` (milliseconds since 1970-01-01T00:00:00Z), and makes their animals
   * available. Takes all of them, or as many as fit in one transaction. The order that is asked for is among these.
   */
  expire(now: number, asked: AskedOrder): MaybePromise<unknown>;
}
