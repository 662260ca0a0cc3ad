import { openStream } from '../event-stream.ts';
import type { ListEventsQuery, StreamEventsQuery } from '../generated.ts';
import type { Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions } from '../options.ts';
import { toQuery } from '../requests.ts';
import type { FeedEvent } from '../store-events.ts';
import { Resource } from './resource.ts';

/** The changes of the store. Beta. Needs the scope `events:read`. */
export class Events<Mode extends Int64Mode> extends Resource {
  /** Lists events in the order of the changes, or with `sort: '-id'` the newest first. `after` is the `id` of the last one seen. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<FeedEvent<Int64Output<Mode>>> {
    return new List(this.core, '/events', toQuery(query), options);
  }

  /**
   * Follows the events as they happen, from now on or after the event `after`. A connection that breaks, or is silent for
   * `timeoutMs` (45,000 by default), is opened again after the last event, even if `apiKey` fails then. `maxRetries` limits how
   * often in a row (by default: always). A loop that ends closes it.
   */
  stream(
    query: StreamEventsQuery = {},
    options?: CallOptions,
  ): AsyncIterableIterator<FeedEvent<Int64Output<Mode>>> {
    const text = toQuery(query);
    if (text === undefined) throw new TypeError('type: an empty array selects nothing.');
    const accept = 'text/event-stream';
    const request = { method: 'GET', path: '/events/stream', query: text, accept } as const;
    return openStream(this.core, request, options);
  }
}
