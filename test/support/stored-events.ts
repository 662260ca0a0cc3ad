import type { EventType } from '../../src/events/event-types.ts';
import { CODES } from '../../src/storage/event-rows.ts';

/** The columns of an event that say what happened to what. */
export const WHAT = 'type, collection, resource_id';

/** Their values in SQL. @param id the resource, or an expression. */
export const what = (type: EventType, id: number | string): string =>
  `${CODES[type].type}, ${CODES[type].collection}, ${id}`;
