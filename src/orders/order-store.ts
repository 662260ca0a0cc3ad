import type { Asker, ListQuery, Position } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { AskedOrder, PetReservations } from '../pets/pet-reservations.ts';
import type { Order } from './order.ts';
import type { OrderFilters } from './order-filters.ts';

/** An order without what the storage assigns. */
export type UnassignedOrder = Omit<Order, 'id'>;

/** How many orders were placed on a day, and how many were delivered or ended otherwise. */
export interface OrdersOfDay {
  readonly placed: number;
  readonly delivered: number;
  readonly cancelled: number;
  readonly expired: number;
  readonly returned: number;
}

export interface OpenOrders {
  readonly placed: number;
  readonly approved: number;
}

/** Reads orders. Failures are thrown as `StorageError`. All times are in milliseconds since 1970-01-01T00:00:00Z. */
export interface OrderReader {
  /** The first `count` orders of a list that follow a position (undefined: from the beginning). @param asker who searches. */
  list(
    query: ListQuery<OrderFilters>,
    after: Position | undefined,
    count: number,
    asker?: Asker,
  ): MaybePromise<Order[]>;

  get(id: Int64): MaybePromise<Order | undefined>;

  /**
   * The numbers of each day.
   * @param bounds when each day begins, and when the last one ends.
   */
  countDays(bounds: readonly number[]): MaybePromise<readonly OrdersOfDay[]>;

  /** How many orders are open, by their status. */
  countOpen(): MaybePromise<OpenOrders>;

  /** Whether a placed order is due to expire by `now`. */
  isExpiryDue(now: number): MaybePromise<boolean>;

  /** Whether an order has ended before a time. */
  hasEndedBefore(time: number): MaybePromise<boolean>;
}

/** Reads and changes orders within a transaction. */
export interface OrderStore extends OrderReader, PetReservations {
  /** Adds an order with a new id, never assigned before. An animal has at most one open order. */
  create(order: UnassignedOrder): MaybePromise<Order>;

  /** Replaces the order with the same id. */
  replace(order: Order): MaybePromise<void>;

  /** Returns the orders that expired. */
  expire(now: number, asked?: AskedOrder): MaybePromise<readonly Order[]>;

  /** Whether a later order of the same animal is open or delivered. The caller has locked the animal. */
  isSoldAgain(order: Order): MaybePromise<boolean>;

  /**
   * Deletes at most `count` orders that ended before a time, the first ones first. Returns them. Keeps an order while an
   * earlier order of its animal is delivered: its return must find the later order.
   */
  deleteEndedBefore(time: number, count: number): MaybePromise<Order[]>;
}
