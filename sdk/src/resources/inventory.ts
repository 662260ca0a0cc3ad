import type { Call } from '../call.ts';
import type { GetInventoryQuery, Inventory as InventoryCounts } from '../generated.ts';
import type { Int64Input, Int64Mode } from '../int64.ts';
import type { CallOptions } from '../options.ts';
import { toQuery } from '../requests.ts';
import { Resource } from './resource.ts';

/** How many animals have each status. Beta. */
export class Inventory<Mode extends Int64Mode> extends Resource {
  /** Counts the animals, of all categories or of one. */
  get(
    query: GetInventoryQuery<Int64Input<Mode>> = {},
    options?: CallOptions,
  ): Call<InventoryCounts> {
    return this.core.call('GET', () => `/store/inventory${toQuery(query)}`, options);
  }
}
