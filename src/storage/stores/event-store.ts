import type { EventFilters } from '../../events/event-filters.ts';
import type {
  EventReader,
  EventStore,
  Feed,
  FeedTimes,
  ListedEvent,
} from '../../events/event-store.ts';
import type { ListQuery } from '../../http/contract/list-query.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { IS_FOR_ALL, type ListedRow, rowQueryOf, toListedEvent } from '../event-rows.ts';
import { Lists } from '../lists.ts';
import { selectListOf } from '../rows.ts';
import { type Spelling, type Sql, Statement } from '../sql.ts';
import { EVENTS } from '../tables.ts';

/** The columns of listed events. The name of a key never changes, so it is the one that the key had. */
export const listedColumns = ({ table }: Spelling): string => `${selectListOf(EVENTS)},
  (SELECT name FROM ${table('api_keys')} WHERE api_keys.id = events.key_id) AS "keyName"`;

/** Lists with or without the events of API keys. */
const eventLists = (withKeys: boolean): Lists =>
  new Lists(EVENTS, (spelling) => {
    const events = spelling.table('events');
    return {
      columns: listedColumns(spelling),
      from: withKeys ? events : `(SELECT * FROM ${events} WHERE ${IS_FOR_ALL}) AS events`,
    };
  });

const WITH_KEYS = eventLists(true);
const WITHOUT_KEYS = eventLists(false);

/** Skips the index entries of deleted events, which PostgreSQL keeps until a vacuum. */
const isLeft = ({ table }: Spelling): string =>
  `id > (SELECT deleted_to FROM ${table('event_feed')})`;

const oldest = (spelling: Spelling, count: string): string =>
  `SELECT id, at FROM ${spelling.table('events')} WHERE ${isLeft(spelling)} ORDER BY id LIMIT ${count}`;

const FEED = new Statement<Feed>(
  ({ table }) => `SELECT generation, deleted_to AS "deletedTo",
    (SELECT min(id) FROM ${table('events')} WHERE id > deleted_to) AS oldest,
    coalesce((SELECT max(id) FROM ${table('events')} WHERE id > deleted_to), deleted_to) AS newest
    FROM ${table('event_feed')}`,
  ['deletedTo', 'newest'],
);
const TIMES = new Statement<FeedTimes>(
  (spelling) => `SELECT (SELECT at FROM (${oldest(spelling, '1')}) AS oldest) AS "oldestAt",
    ${spelling.waitingSince} AS "waitingSince"`,
);
const LOCK = new Statement(
  ({ table, lock }) => `SELECT 1 AS found FROM ${table('event_feed')} ${lock('FOR UPDATE')}`,
);
const OLDEST = new Statement<{ id: Int64; at: number }>(
  (spelling) => oldest(spelling, '$1'),
  ['id'],
);
const DELETE_OLDEST = new Statement(
  (spelling) => `DELETE FROM ${spelling.table('events')} WHERE ${isLeft(spelling)} AND id <= $1`,
);
const DELETE_DELIVERIES = new Statement(
  ({ table }) => `DELETE FROM ${table('webhook_deliveries')} WHERE event_id <= $1`,
);
const SET_DELETED = new Statement(
  ({ table }) => `UPDATE ${table('event_feed')} SET deleted_to = $1`,
);
const RENEW = new Statement(
  ({ table, newGeneration }) => `UPDATE ${table('event_feed')} SET generation = ${newGeneration}`,
);

export class StoredEvents implements EventReader, EventStore {
  constructor(readonly sql: Sql) {}

  feed(): MaybePromise<Feed> {
    return chain(this.sql.find(FEED), (feed) => {
      if (feed === undefined) throw new Error('The table event_feed is empty.');
      return feed;
    });
  }

  peek(): MaybePromise<Feed> {
    return this.feed();
  }

  list(
    query: ListQuery<EventFilters>,
    after: Int64 | undefined,
    count: number,
    withKeys: boolean,
  ): MaybePromise<ListedEvent[]> {
    const rowQuery = rowQueryOf(query);
    if (rowQuery === undefined) return [];
    const lists = withKeys ? WITH_KEYS : WITHOUT_KEYS;
    return chain(lists.page(this.sql, rowQuery, after, count), (rows) =>
      (rows as unknown[] as ListedRow[]).map(toListedEvent),
    );
  }

  times(): MaybePromise<FeedTimes> {
    return chain(this.sql.find(TIMES), (times) => times as FeedTimes);
  }

  deleteBefore(time: number, count: number): MaybePromise<number> {
    const { sql } = this;
    // Another instance that deletes events waits. It then reads those that are left.
    return chain(sql.read(LOCK), () =>
      chain(sql.read(OLDEST, count), (events) => {
        const end = events.findIndex(({ at }) => at >= time);
        const deleted = end === -1 ? events : events.slice(0, end);
        const last = deleted.at(-1);
        if (last === undefined) return 0;
        return chain(sql.change(DELETE_OLDEST, last.id), () =>
          chain(sql.change(DELETE_DELIVERIES, last.id), () =>
            chain(sql.change(SET_DELETED, last.id), () => deleted.length),
          ),
        );
      }),
    );
  }

  renew(): MaybePromise<void> {
    return chain(this.sql.change(RENEW), () => {});
  }
}
