import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { PetHolds } from '../pets/pet-holds.ts';
import type { Order } from './order.ts';
import type { OrderFilters } from './order-filters.ts';

/** Where orders are found. Failures are thrown as `StorageError`. */
export interface OrderReader {
  /** The first `count` orders with an id greater than `afterId` (undefined: from the beginning), ascending by id. */
  list(filters: OrderFilters, afterId: Int64 | undefined, count: number): MaybePromise<Order[]>;

  get(id: Int64): MaybePromise<Order | undefined>;

  /** Whether a placed order should have expired by `now`, in milliseconds since 1970-01-01T00:00:00Z. */
  isExpiryDue(now: number): MaybePromise<boolean>;
}

/** The same, within a transaction that may change them. */
export interface OrderStore extends OrderReader, PetHolds {
  /** Adds an order under an id never assigned before. An animal has at most one open order. */
  create(order: Omit<Order, 'id'>): MaybePromise<Order>;

  /** Puts an order in the place of the one with its id. */
  replace(order: Order): MaybePromise<void>;
}
