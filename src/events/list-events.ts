import { decodeCursor, encodeCursor } from '../http/contract/cursor.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { DEFAULT_SORT } from '../http/contract/list-query.ts';
import { operation } from '../http/contract/operation.ts';
import {
  PAGE_HEADERS,
  type Positions,
  pageAt,
  pageOf,
  sortedPageParameters,
} from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import type { Int64 } from '../int64.ts';
import { chain } from '../maybe-promise.ts';
import { describeEvent, Event } from './event.ts';
import { EVENT_FILTER_EXAMPLES, EVENT_FILTERS } from './event-filters.ts';
import type { EventReader, Feed, ListedEvent } from './event-store.ts';
import {
  EXAMPLE_EVENT_ID,
  eventIdField,
  isDeleted,
  positionIn,
  refuseExpired,
} from './feed-position.ts';

export const listEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  tag: 'Events',
  summary: 'List events',
  description:
    'Returns a page of the changes of the store, in their order, or the newest first with `sort=-id`. With the `id` of the last event ' +
    'that a client has seen as `after`, it returns what is new since. With `subject`, it is the history of one resource. An event is ' +
    'in the list as soon as the request that made the change has its response. Events of API keys are only in the list if the key of ' +
    'the request also has the scope `keys:admin`.',
  scope: 'events:read',
  stability: 'beta',
  query: z.object({
    ...sortedPageParameters('/events', EVENT_FILTER_EXAMPLES),
    ...EVENT_FILTERS,
    after: eventIdField(
      'The `id` of an event: returns only later ones. 410 `events_expired`: later events are no longer kept, or the database ' +
        'was restored or copied since.',
    ),
  }),
  responses: {
    200: {
      description: 'A page of events.',
      schema: pageOf(Event),
      example: [
        {
          id: EXAMPLE_EVENT_ID,
          type: 'pet.updated',
          subject: 'pets/7',
          timestamp: '2027-01-01T12:00:00.000Z',
          actor: { keyId: 2, keyName: 'web shop' },
          data: { id: 7, name: 'Rex', categoryId: 1, status: 'pending' },
          previous: { status: 'available' },
        },
      ],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor', 'events_expired'],
});

interface Deps {
  readonly events: EventReader;
  readonly baseUrl: string;
}

/** The cursors of a generation end in it. Those of another one, such as from before a restore, are refused as expired. */
const positionsOf = (feed: Feed): Positions<ListedEvent, Int64, 'events_expired'> => {
  const { generation } = feed;
  return {
    encode: ({ id }, list) => encodeCursor(id, list + generation) + generation,
    decode(cursor, list) {
      const sent = cursor.slice(-generation.length);
      const position = decodeCursor(cursor.slice(0, -generation.length), list + sent);
      return position === undefined || sent === generation ? position : refuseExpired(feed);
    },
  };
};

export const handleListEvents: DirectHandler<typeof listEvents, Deps> = (
  { events, baseUrl },
  { scopes, query: { limit, cursor, sort = DEFAULT_SORT, ...filters } },
) =>
  chain(events.feed(), (feed) => {
    const { generation } = feed;
    const after = filters.after === undefined ? undefined : positionIn(feed, filters.after);
    if (after === null) return refuseExpired(feed);
    /** The position after which no event may be missing. */
    let first: Int64 | undefined;
    const query = { filters, sort };
    const result = pageAt(
      { limit, cursor, baseUrl, path: listEvents.path, query },
      positionsOf(feed),
      (afterId, count) => {
        const isAscending = sort === DEFAULT_SORT;
        const start = isAscending ? (afterId ?? after) : afterId;
        first = isAscending ? start : after;
        const found = events.list(query, start, count, scopes.has('keys:admin'));
        return isAscending || after === undefined
          ? found
          : chain(found, (all) => all.filter(({ id }) => id > after));
      },
    );
    return chain(result, (found) => {
      if (!('body' in found)) return found;
      const body = found.body.map((event) => describeEvent(event, generation));
      // After the page was read: events may have been deleted in between.
      return chain(first === undefined ? feed : events.peek(), (now) =>
        first !== undefined && isDeleted(now, first) ? refuseExpired(now) : { ...found, body },
      );
    });
  });
