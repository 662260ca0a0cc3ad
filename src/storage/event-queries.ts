import { IS_FOR_ALL } from './event-rows.ts';
import { Lists } from './lists.ts';
import { selectListOf } from './rows.ts';
import { EVENTS } from './tables.ts';

/** Queries of both engines for the feed. @param schema the schema of the tables with a dot, or nothing. */

type Schema = '' | 'animal_store.';

/** Lists with or without the events of API keys. The name of a key never changes, so it is the one that the key had. */
const eventLists = (withKeys: boolean): Lists =>
  new Lists(EVENTS, ({ table }) => {
    const events = table('events');
    const keyName = `SELECT name FROM ${table('api_keys')} WHERE api_keys.id = events.key_id`;
    return {
      columns: `${selectListOf(EVENTS)}, (${keyName}) AS "keyName"`,
      from: withKeys ? events : `(SELECT * FROM ${events} WHERE ${IS_FOR_ALL}) AS events`,
    };
  });

export const EVENT_LISTS = { withKeys: eventLists(true), withoutKeys: eventLists(false) };

/** The condition skips the index entries of deleted events, which PostgreSQL keeps until a vacuum. */
export const selectFeed = (schema: Schema): string =>
  `SELECT generation, deleted_to AS "deletedTo",
    (SELECT min(id) FROM ${schema}events WHERE id > deleted_to) AS oldest,
    coalesce((SELECT max(id) FROM ${schema}events WHERE id > deleted_to), deleted_to) AS newest FROM ${schema}event_feed`;

/** The oldest events; the last parameter is their number. The condition is as above. */
export const selectOldest = (schema: Schema, parameter: string): string =>
  `SELECT id, at FROM ${schema}events WHERE id > (SELECT deleted_to FROM ${schema}event_feed) ORDER BY id LIMIT ${parameter}`;
