import { BETA } from '../http/contract/additions.ts';
import { refuse } from '../http/contract/errors.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import { EVENT_FILTERS } from './event-filters.ts';
import { formatEventId } from './event-id.ts';
import type { EventReader } from './event-store.ts';
import type { EventStreams } from './event-streams.ts';
import { eventIdField, eventIdHeader, positionIn, refuseExpired } from './feed-position.ts';

const EXAMPLE = `retry: 2000

id: 5f0c9a17-41
event: pet.deleted
data: {"id":"5f0c9a17-41","type":"pet.deleted","subject":"pets/7","timestamp":"2027-01-01T12:00:00.000Z","actor":{"keyId":2,"keyName":"web shop"},"data":{"id":7,"name":"Rex","categoryId":1,"status":"pending"}}

`;

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'get',
  path: '/events/stream',
  tag: 'Events',
  summary: 'Stream events',
  description:
    'Sends each change of the store as a server-sent event as soon as it happens. `id` is the id of the event, `event` its type, ' +
    '`data` the event in one line. Without `Last-Event-ID` and `after`, the stream starts now. After a lost connection, a client resumes ' +
    'after the last id that it received, and misses nothing. A comment every 15 seconds says that the stream is open. The service ends ' +
    'the stream when it stops, when the API key ends, or when the client reads nothing for a minute. Events of API keys need a key with ' +
    'the scope `keys:admin`, too.',
  scope: 'events:read',
  stability: 'beta',
  query: z.object({
    ...EVENT_FILTERS,
    after: eventIdField(
      'The `id` of an event: the stream starts after it. 410 `events_expired`: later events are no longer kept, or the database ' +
        'was restored or copied since.',
    ),
  }),
  headers: z.object({
    'Last-Event-ID': eventIdHeader('The same. It has precedence over `after`.', BETA),
  }),
  responses: {
    200: {
      description: 'A stream of events, without an end.',
      mediaType: 'text/event-stream',
      schema: z.string(),
      example: EXAMPLE,
      headers: {
        ...ALWAYS_NO_STORE,
        'X-Accel-Buffering': 'Always `no`: a proxy must not collect the events.',
      },
    },
  },
  errors: ['invalid_parameter', 'events_expired', 'unavailable'],
});

const HEADERS = { ...NO_STORE, 'X-Accel-Buffering': 'no' };

/** Not at once: streams end seldom. In seconds. */
const RETRY_LATER = { 'Retry-After': '5' };

interface Deps {
  readonly events: EventReader;
  readonly streams: EventStreams;
}

export const handleStreamEvents: DirectHandler<typeof streamEvents, Deps> = (
  { events, streams },
  { requestId, keyId, scopes, query: { after, ...filters }, headers },
) =>
  chain(events.feed(), (feed) => {
    const { generation, newest } = feed;
    const id = headers['Last-Event-ID'] ?? after;
    const position = id === undefined ? newest : positionIn(feed, id);
    if (position === null) return refuseExpired(feed);
    const stream = streams.create({
      requestId,
      keyId,
      filters,
      withKeys: scopes.has('keys:admin'),
      generation,
      position,
      // A client that loses the connection before the first event resumes from here.
      greeting:
        id === undefined && newest > 0 ? `id: ${formatEventId({ generation, position })}\n\n` : '',
    });
    if (typeof stream === 'string') return refuse('unavailable', stream, RETRY_LATER);
    return { status: 200, stream: stream.body, headers: HEADERS };
  });
