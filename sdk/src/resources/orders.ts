import { Call } from '../call.ts';
import { edit } from '../edit.ts';
import type {
  GetStoreSummaryQuery,
  ListOrdersQuery,
  NewOrder,
  Order,
  OrderPatch,
  OrderStatus,
  StoreSummary,
} from '../generated.ts';
import type { Int64Input, Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from '../options.ts';
import { pathOf, toQuery } from '../requests.ts';
import { Resource } from './resource.ts';

const PATH = '/store/orders';

/** The query of a list of orders. One status needs no array. */
export type OrdersQuery<Id = number | bigint> = Omit<ListOrdersQuery<Id>, 'status'> & {
  readonly status?: OrderStatus | readonly OrderStatus[] | undefined;
};

/** Orders for animals. Beta. */
export class Orders<Mode extends Int64Mode> extends Resource {
  /**
   * Lists orders, ascending by id, or with `sort: '-id'` the newest first. With `createdAfter` or `createdBefore` they are in the
   * order of `createdAt`, with `deliveredAfter` or `deliveredBefore` in the order of `deliveredAt`. With `sort: 'expiresAt'` they are the placed ones. An empty array of statuses selects none.
   */
  list(
    query: OrdersQuery<Int64Input<Mode>> = {},
    options?: CallOptions,
  ): List<Order<Int64Output<Mode>>> {
    return new List(this.core, PATH, toQuery(query), options);
  }

  /** Counts what happened on each of the last days, by the clock of a time zone, and open orders. */
  summary(
    query: GetStoreSummaryQuery = {},
    options?: CallOptions,
  ): Call<StoreSummary<Int64Output<Mode>>> {
    return this.core.call('GET', () => `/store/summary${toQuery(query)}`, options);
  }

  /** Fetches one order. */
  get(id: Int64Input<Mode>, options?: CallOptions): Call<Order<Int64Output<Mode>>> {
    return this.core.call('GET', () => pathOf(PATH, id), options);
  }

  /**
   * Orders an available animal, and holds it until the order is delivered, cancelled or expired. With `status: 'delivered'` the
   * animal is sold at once.
   */
  place(
    order: NewOrder<Int64Input<Mode>>,
    options?: CreateOptions,
  ): Call<Order<Int64Output<Mode>>> {
    return this.core.call('POST', () => PATH, options, order);
  }

  /** Changes the status, the reference or the note of an order. The current status is no change. */
  update(
    id: Int64Input<Mode>,
    patch: OrderPatch,
    options?: ChangeOptions,
  ): Call<Order<Int64Output<Mode>>> {
    return this.core.call('PATCH', () => pathOf(PATH, id), options, patch);
  }

  /**
   * Fetches an order, and changes it by the patch that `change` returns for it. If another client changes it in between, starts
   * again, four times at most. Without a patch nothing is changed.
   */
  edit(
    id: Int64Input<Mode>,
    change: (
      order: Order<Int64Output<Mode>>,
    ) => OrderPatch | undefined | Promise<OrderPatch | undefined>,
    options?: CallOptions,
  ): Call<Order<Int64Output<Mode>>> {
    return new Call(() => edit(this, id, change, options));
  }

  /** Approves a placed order. It no longer expires. */
  approve(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'approved' }, options);
  }

  /** Delivers a placed or approved order. Its animal is sold. */
  deliver(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'delivered' }, options);
  }

  /** Cancels a placed or approved order. Its animal is available again. */
  cancel(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'cancelled' }, options);
  }

  /** Returns a delivered order. Its animal is available again, unless it was sold again. */
  return(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'returned' }, options);
  }
}
