import { type Refusal, refuse } from '../http/contract/errors.ts';
import { z } from '../http/contract/zod.ts';
import type { Int64 } from '../int64.ts';
import { EVENT_ID_PATTERN, formatEventId, parseEventId } from './event-id.ts';
import type { Feed } from './event-store.ts';

export const EXAMPLE_EVENT_ID = '5f0c9a17-41';

export const NOT_AN_EVENT_ID = `must be the id of an event, such as ${EXAMPLE_EVENT_ID}`;

/** A header that contains the id of an event. */
export const eventIdHeader = (description: string, marks = {}) =>
  z
    .string()
    .refine((text) => parseEventId(text) !== undefined, NOT_AN_EVENT_ID)
    .optional()
    .openapi({
      maxLength: 28,
      param: { ...marks, description, example: EXAMPLE_EVENT_ID },
    });

/** A parameter that contains the id of an event. */
export const eventIdField = (description: string) =>
  eventIdHeader(description).openapi({ pattern: EVENT_ID_PATTERN });

/** The position of an event whose successors are all there. Null otherwise. */
export function positionIn(feed: Feed, id: string): Int64 | null {
  const parsed = parseEventId(id);
  return parsed !== undefined && isKnown(feed, parsed.generation, parsed.position)
    ? parsed.position
    : null;
}

/** Whether all events after a position of a generation are there. */
export const isKnown = (feed: Feed, generation: string, position: Int64): boolean =>
  generation === feed.generation && position <= feed.newest && !isDeleted(feed, position);

/** Whether an event after this position may have been deleted because of its age. */
export const isDeleted = ({ deletedTo }: Feed, position: Int64): boolean => position < deletedTo;

export function refuseExpired({ generation, oldest }: Feed): Refusal<'events_expired'> {
  const state =
    oldest === null
      ? 'There are no events.'
      : `The oldest one is ${formatEventId({ generation, position: oldest })}.`;
  return refuse('events_expired', `The events after this one are not known. ${state}`);
}
