import type { EventFilters } from '../../../events/event-filters.ts';
import type {
  EventReader,
  EventStore,
  Feed,
  FeedTimes,
  ListedEvent,
} from '../../../events/event-store.ts';
import type { ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { EVENT_LISTS, selectFeed, selectOldest } from '../../event-queries.ts';
import { type ListedRow, rowQueryOf, toListedEvent } from '../../event-rows.ts';
import { isRightMissing } from '../failures.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import { RENEW_EVENTS } from '../statements/renew-events.ts';
import type { Run, Transactions } from '../transactions/transactions.ts';
import { hasUnsequenced, sequence } from './outbox.ts';

const SELECT_FEED = selectFeed('animal_store.');
const SELECT_OLDEST = selectOldest('animal_store.', '$1');
/** The first condition is that of `selectOldest`. */
const DELETE_OLDEST =
  'DELETE FROM animal_store.events WHERE id > (SELECT deleted_to FROM animal_store.event_feed) AND id <= $1';
/** Reads the feed by one statement each. */
class PostgresFeed {
  constructor(readonly run: Run) {}

  feed(): Promise<Feed> {
    return this.readFeed(this.run);
  }

  protected async readFeed(run: Run): Promise<Feed> {
    const [feed] = await run<Feed>(SELECT_FEED);
    if (feed === undefined) throw new Error('The table event_feed is empty.');
    return feed;
  }

  async list(
    query: ListQuery<EventFilters>,
    after: Int64 | undefined,
    count: number,
    withKeys: boolean,
  ): Promise<ListedEvent[]> {
    const rowQuery = rowQueryOf(query);
    if (rowQuery === undefined) return [];
    const lists = withKeys ? EVENT_LISTS.withKeys : EVENT_LISTS.withoutKeys;
    const rows = await lists.page(new PostgresSql(this.run), rowQuery, after, count);
    return (rows as unknown[] as ListedRow[]).map(toListedEvent);
  }
}

/** Reads the feed outside of transactions. */
export class PostgresEventReader extends PostgresFeed implements EventReader {
  /** @param primary reads from the primary: a standby may not have the newest events yet. */
  constructor(
    run: Run,
    readonly primary: Run,
    readonly transactions: Transactions,
  ) {
    super(run);
  }

  /** Moves events of committed transactions into the feed first: a client finds the event of a write that was acknowledged. */
  override async feed(): Promise<Feed> {
    if (await hasUnsequenced(this.primary)) await this.#sequence();
    return super.feed();
  }

  /** A role that may only read leaves it to the service. */
  async #sequence(): Promise<void> {
    try {
      while (await this.transactions.run((run) => sequence(run, 'FOR UPDATE'), true));
    } catch (error) {
      if (!isRightMissing(error)) throw error;
    }
  }

  async times(): Promise<FeedTimes> {
    const [times] = await this.primary<FeedTimes>(
      `SELECT (SELECT at FROM (${selectOldest('animal_store.', '1')}) AS oldest) AS "oldestAt",
        (SELECT at FROM animal_store.outbox ORDER BY id LIMIT 1) AS "waitingSince"`,
    );
    return times as FeedTimes;
  }

  /** One statement, however many standbys there are. */
  peek(): Promise<Feed> {
    return this.readFeed(this.primary);
  }
}

/** Changes the feed within a transaction. */
export class PostgresEventStore implements EventStore {
  constructor(readonly run: Run) {}

  async deleteBefore(time: number, count: number): Promise<number> {
    // Another instance that deletes events waits. It then reads those that are left.
    await this.run('SELECT 1 FROM animal_store.event_feed FOR UPDATE');
    const oldest = await this.run<{ id: Int64; at: number }>(SELECT_OLDEST, [count]);
    const end = oldest.findIndex(({ at }) => at >= time);
    const deleted = end === -1 ? oldest : oldest.slice(0, end);
    const last = deleted.at(-1);
    if (last === undefined) return 0;
    await this.run(DELETE_OLDEST, [last.id]);
    await this.run('UPDATE animal_store.event_feed SET deleted_to = $1', [last.id]);
    return deleted.length;
  }

  async renew(): Promise<void> {
    await this.run(RENEW_EVENTS);
  }
}
