import type { ListQuery } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { PetReservations } from '../pets/pet-reservations.ts';
import type { Order } from './order.ts';
import type { OrderFilters } from './order-filters.ts';

/** An order without what the storage assigns. */
export type UnassignedOrder = Omit<Order, 'id'>;

/** Reads orders. Failures are thrown as `StorageError`. */
export interface OrderReader {
  /** The first `count` orders of a list that follow the id `afterId` (undefined: from the beginning). */
  list(
    query: ListQuery<OrderFilters>,
    afterId: Int64 | undefined,
    count: number,
  ): MaybePromise<Order[]>;

  get(id: Int64): MaybePromise<Order | undefined>;

  /** Whether a placed order is due to expire by `now`, in milliseconds since 1970-01-01T00:00:00Z. */
  isExpiryDue(now: number): MaybePromise<boolean>;
}

/** Reads and changes orders within a transaction. */
export interface OrderStore extends OrderReader, PetReservations {
  /** Adds an order with a new id, never assigned before. An animal has at most one open order. */
  create(order: UnassignedOrder): MaybePromise<Order>;

  /** Replaces the order with the same id. */
  replace(order: Order): MaybePromise<void>;
}
