import type { ListQuery } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Actor } from './cause.ts';
import type { EventFilters } from './event-filters.ts';
import type { EventType } from './event-types.ts';

/** What an event says beside its columns. */
export interface EventContent {
  /** Undefined if an API key made the change: the event has its id. */
  readonly actor?: Exclude<Actor, { readonly keyId: number }> | undefined;
  /** The resource after the change. After a deletion, its last state. */
  readonly data: object;
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: object | undefined;
  /** The fields that changed and whose values no event contains. */
  readonly withheld?: readonly string[] | undefined;
}

/** An event to record. */
export interface NewEvent {
  readonly type: EventType;
  /** The resource, whose collection follows from the type. 0 if the event concerns several. */
  readonly resourceId: Int64;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
  readonly keyId: number | null;
  /** `EventContent` as JSON. */
  readonly content: string;
}

/** An event as stored. Its position in the feed is its id: events are added in the order of positions. */
export interface StoredEvent extends Pick<NewEvent, 'at' | 'keyId' | 'content'> {
  readonly id: Int64;
  /** A later version may have added it. */
  readonly type: string;
  /** What changed, such as `pets/7`. */
  readonly subject: string;
}

/** An event of a page, with the name of the API key in it. */
export interface ListedEvent extends StoredEvent {
  readonly keyName: string | null;
}

/** The feed as a whole. */
export interface Feed {
  /** It changes when the database is restored or copied: a position of another generation has no meaning here. */
  readonly generation: string;
  /** The position of the last event that was deleted because of its age, 0 if none was. */
  readonly deletedTo: Int64;
  /** The position of the oldest event, null if there is none. */
  readonly oldest: Int64 | null;
  /** The position of the newest event, `deletedTo` if there is none. */
  readonly newest: Int64;
}

/** In milliseconds since 1970-01-01T00:00:00Z. */
export interface FeedTimes {
  /** When the oldest event happened, null if there is none. */
  readonly oldestAt: number | null;
  /** When the oldest change happened whose event has no position in the feed yet, null if there is none. */
  readonly waitingSince: number | null;
}

/** Reads events. Failures are thrown as `StorageError`. */
export interface EventReader {
  /** A list that is read afterwards contains the events of every write that was acknowledged before the call. */
  feed(): MaybePromise<Feed>;

  /** The same without waiting for the events of the last writes: these may not have their positions yet. For polling. */
  peek(): MaybePromise<Feed>;

  /**
   * The first `count` events of a list that follow a position (undefined: from the beginning).
   * @param withKeys whether the list contains the events of API keys.
   */
  list(
    query: ListQuery<EventFilters>,
    after: Int64 | undefined,
    count: number,
    withKeys: boolean,
  ): MaybePromise<ListedEvent[]>;

  times(): MaybePromise<FeedTimes>;
}

/** Changes the feed within a transaction. Other stores record events by themselves. */
export interface EventStore {
  /**
   * Deletes at most `count` of the oldest events, up to the first one that is not from before a time. So no event is missing
   * between those that remain. Returns how many it deleted.
   */
  deleteBefore(time: number, count: number): MaybePromise<number>;

  /** Begins a new generation. */
  renew(): MaybePromise<void>;
}
