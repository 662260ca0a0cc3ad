import type { ListEventsQuery } from '../generated.ts';
import type { Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { RequestCore } from '../request-core.ts';
import { toQuery } from '../requests.ts';
import type { FeedEvent } from '../store-events.ts';

/** The changes of the store. Beta. Needs the scope `events:read`. */
export class Events<Mode extends Int64Mode> {
  readonly #core: RequestCore;

  constructor(core: RequestCore) {
    this.#core = core;
  }

  /** Lists events in the order of the changes, or with `sort: '-id'` the newest first. `after` is the `id` of the last one seen. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<FeedEvent<Int64Output<Mode>>> {
    return new List(this.#core, '/events', toQuery(query), options);
  }
}
