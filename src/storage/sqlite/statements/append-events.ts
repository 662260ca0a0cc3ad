import type { NewEvent } from '../../../events/event-store.ts';
import { CODES } from '../../event-rows.ts';
import { type Sql, Statement } from '../../sql.ts';

const INSERT = 'INSERT INTO events (type, collection, resource_id, at, key_id, content)';
const APPEND = new Statement(() => `${INSERT} VALUES ($1, $2, $3, $4, $5, $6)`);
const APPEND_RUN = new Statement(
  () => `${INSERT} SELECT $1, $2, $3 + key, $4, $5, value FROM json_each($6)`,
);

/** Adds events in their order. One statement adds those that differ in what follows from their place. */
export function appendEvents(sql: Sql, events: readonly NewEvent[]): void {
  for (let start = 0; start < events.length; ) {
    const first = events[start] as NewEvent;
    let end = start + 1;
    while (end < events.length && continues(first, end - start, events[end] as NewEvent)) end += 1;
    const { resourceId, at, keyId, content } = first;
    const { type, collection } = CODES[first.type];
    if (end === start + 1) sql.change(APPEND, type, collection, resourceId, at, keyId, content);
    else {
      const contents = events.slice(start, end).map((event) => event.content);
      sql.change(APPEND_RUN, type, collection, resourceId, at, keyId, `[${contents.join()}]`);
    }
    start = end;
  }
}

/** Whether an event differs from the first one of a run only in its content, and in its id by its place. */
const continues = (first: NewEvent, place: number, event: NewEvent): boolean =>
  event.type === first.type &&
  event.at === first.at &&
  event.keyId === first.keyId &&
  typeof first.resourceId === 'number' &&
  event.resourceId === first.resourceId + place;
