import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite';
import type { EventFilters } from '../../../events/event-filters.ts';
import type {
  EventReader,
  EventStore,
  Feed,
  FeedTimes,
  ListedEvent,
  NewEvent,
} from '../../../events/event-store.ts';
import type { ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { EVENT_LISTS, selectFeed, selectOldest } from '../../event-queries.ts';
import { CODES, type ListedRow, rowQueryOf, toListedEvent } from '../../event-rows.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { RENEW_EVENTS } from '../statements/renew-events.ts';
import type { SqliteSql } from '../statements/sqlite-sql.ts';

export class SqliteEventStore implements EventReader, EventStore {
  readonly connection: Sqlite;
  readonly #feed: ExactQuery<Feed>;
  readonly #oldest: ExactQuery<{ id: Int64; at: number }>;
  readonly #append: Statement<unknown, SQLQueryBindings[]>;
  readonly #appendRun: Statement<unknown, SQLQueryBindings[]>;

  constructor(readonly sql: SqliteSql) {
    const { connection } = sql;
    this.connection = connection;
    this.#feed = new ExactQuery(connection, selectFeed(''), ['deletedTo', 'newest']);
    this.#oldest = new ExactQuery(connection, selectOldest('', '?'), ['id']);
    const insert = 'INSERT INTO events (type, collection, resource_id, at, key_id, content)';
    this.#append = connection.prepare(`${insert} VALUES (?, ?, ?, ?, ?, ?)`);
    this.#appendRun = connection.prepare(
      `${insert} SELECT ?, ?, ? + key, ?, ?, value FROM json_each(?)`,
    );
  }

  feed(): Feed {
    const feed = translateReadErrors(this.connection, () => this.#feed.get());
    if (feed === null) throw new Error('The table event_feed is empty.');
    return feed;
  }

  peek(): Feed {
    return this.feed();
  }

  list(
    query: ListQuery<EventFilters>,
    after: Int64 | undefined,
    count: number,
    withKeys: boolean,
  ): ListedEvent[] {
    const rowQuery = rowQueryOf(query);
    if (rowQuery === undefined) return [];
    const lists = withKeys ? EVENT_LISTS.withKeys : EVENT_LISTS.withoutKeys;
    const rows = lists.page(this.sql, rowQuery, after, count);
    return (rows as unknown[] as ListedRow[]).map(toListedEvent);
  }

  times(): FeedTimes {
    const oldest = translateReadErrors(this.connection, () => this.#oldest.get(1));
    return { oldestAt: oldest?.at ?? null, waitingSince: null };
  }

  /** Adds events in their order. One statement adds those that differ in what follows from their place. */
  append(events: readonly NewEvent[]): void {
    for (let start = 0; start < events.length; ) {
      const first = events[start] as NewEvent;
      let end = start + 1;
      while (end < events.length && continues(first, end - start, events[end] as NewEvent))
        end += 1;
      const { resourceId, at, keyId, content } = first;
      const { type, collection } = CODES[first.type];
      if (end === start + 1) this.#append.run(type, collection, resourceId, at, keyId, content);
      else {
        const contents = events.slice(start, end).map((event) => event.content);
        this.#appendRun.run(type, collection, resourceId, at, keyId, `[${contents.join()}]`);
      }
      start = end;
    }
  }

  deleteBefore(time: number, count: number): number {
    const oldest = this.#oldest.all(count);
    const end = oldest.findIndex(({ at }) => at >= time);
    const deleted = end === -1 ? oldest : oldest.slice(0, end);
    const last = deleted.at(-1);
    if (last === undefined) return 0;
    this.connection.query('DELETE FROM events WHERE id <= ?').run(last.id);
    this.connection.query('UPDATE event_feed SET deleted_to = ?').run(last.id);
    return deleted.length;
  }

  renew(): void {
    this.connection.run(RENEW_EVENTS);
  }
}

/** Whether an event differs from the first one of a run only in its content, and in an id that follows from its place. */
const continues = (first: NewEvent, place: number, event: NewEvent): boolean =>
  event.type === first.type &&
  event.at === first.at &&
  event.keyId === first.keyId &&
  typeof first.resourceId === 'number' &&
  event.resourceId === first.resourceId + place;
