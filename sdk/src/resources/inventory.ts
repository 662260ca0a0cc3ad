import type { Call } from '../call.ts';
import type { GetInventoryQuery, Inventory as InventoryCounts } from '../generated.ts';
import type { Int64Input, Int64Mode } from '../int64.ts';
import type { CallOptions } from '../options.ts';
import type { RequestCore } from '../request-core.ts';
import { toQuery } from '../requests.ts';

/** How many animals have each status. Beta. */
export class Inventory<Mode extends Int64Mode> {
  readonly #core: RequestCore;

  constructor(core: RequestCore) {
    this.#core = core;
  }

  /** Counts the animals, of all categories or of one. */
  get(
    query: GetInventoryQuery<Int64Input<Mode>> = {},
    options?: CallOptions,
  ): Call<InventoryCounts> {
    return this.#core.call(
      () => ({ method: 'GET', path: '/store/inventory', query: toQuery(query) }),
      options,
    );
  }
}
