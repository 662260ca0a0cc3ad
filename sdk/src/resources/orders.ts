import { Call } from '../call.ts';
import type { ListOrdersQuery, NewOrder, Order, OrderPatch } from '../generated.ts';
import type { Int64Input, Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from '../options.ts';
import type { RequestCore } from '../request-core.ts';
import { creation, pathOf, toQuery } from '../requests.ts';

const PATH = '/store/orders';

/** Orders for animals. Beta. */
export class Orders<Mode extends Int64Mode> {
  readonly #core: RequestCore;

  constructor(core: RequestCore) {
    this.#core = core;
  }

  /** Lists orders, ascending by id, or with `sort: '-id'` the newest first. */
  list(
    query: ListOrdersQuery<Int64Input<Mode>> = {},
    options?: CallOptions,
  ): List<Order<Int64Output<Mode>>> {
    return new List(this.#core, PATH, toQuery(query), options);
  }

  /** Fetches one order. */
  get(id: Int64Input<Mode>, options?: CallOptions): Call<Order<Int64Output<Mode>>> {
    return new Call(async () =>
      this.#core.send({ method: 'GET', path: pathOf(PATH, id) }, options),
    );
  }

  /** Orders an available animal, and holds it until the order is delivered, cancelled or expired. */
  place(
    order: NewOrder<Int64Input<Mode>>,
    options?: CreateOptions,
  ): Call<Order<Int64Output<Mode>>> {
    return new Call(async () => this.#core.send(creation(PATH, order, options), options));
  }

  /** Changes the status of an order. The current status changes nothing. */
  update(
    id: Int64Input<Mode>,
    patch: OrderPatch,
    options?: ChangeOptions,
  ): Call<Order<Int64Output<Mode>>> {
    const { ifMatch } = options ?? {};
    return new Call(async () =>
      this.#core.send({ method: 'PATCH', path: pathOf(PATH, id), body: patch, ifMatch }, options),
    );
  }

  /** Approves a placed order. It no longer expires. */
  approve(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'approved' }, options);
  }

  /** Delivers an approved order. Its animal is sold. */
  deliver(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'delivered' }, options);
  }

  /** Cancels a placed or approved order. Its animal is available again. */
  cancel(id: Int64Input<Mode>, options?: ChangeOptions): Call<Order<Int64Output<Mode>>> {
    return this.update(id, { status: 'cancelled' }, options);
  }
}
