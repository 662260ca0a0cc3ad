import type { MonotonicClock } from '../clock.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import type { EventReader } from './event-store.ts';
import { EventStream, type StreamEnd, type StreamRequest } from './event-stream.ts';
import { fanOut, sendEvents } from './fan-out.ts';
import { type FeedSelection, readFeedPage } from './feed-page.ts';

/** How often the service does something for its streams, in milliseconds. */
export interface StreamIntervals {
  /** Looks for new events. */
  readonly poll: number;
  /** Sends a comment. */
  readonly heartbeat: number;
  /** Checks the API keys of the streams. */
  readonly keyCheck: number;
}

const INTERVALS: StreamIntervals = { poll: 200, heartbeat: 15_000, keyCheck: 30_000 };

export interface EventStreamsDeps {
  readonly events: EventReader;
  /** The scopes of an API key, undefined if it is not valid now. */
  readonly scopesOf: (keyId: number) => MaybePromise<ReadonlySet<string> | undefined>;
  /** A text that changes when an event is added. Undefined: only a query can tell. */
  readonly version: () => string | undefined;
  readonly observe: Observe;
  readonly clock: MonotonicClock;
  /** The maximum number of streams. */
  readonly limit: number;
  readonly intervals?: StreamIntervals | undefined;
}

/** A position that live streams have in common: those that have every event of the feed. */
interface Head {
  readonly generation: string;
  position: Int64;
  /** The version when the events up to this position were read. */
  version: string | undefined;
}

/**
 * The streams of this process. A stream first reads the database by itself, at the pace of its client, until it has caught up. From then on it is
 * live: one poll reads new events for all live streams, and each event is formatted once.
 */
export class EventStreams {
  readonly #streams = new Set<EventStream>();
  readonly #live = new Set<EventStream>();
  readonly #startedMs = new WeakMap<EventStream, number>();
  #head: Head | undefined;
  #isPolling = false;
  #lastPollMs = 0;
  #isStopped = false;
  #timers: readonly ReturnType<typeof setInterval>[] = [];

  readonly #intervals: StreamIntervals;

  constructor(readonly deps: EventStreamsDeps) {
    this.#intervals = deps.intervals ?? INTERVALS;
  }

  /** The number of open streams. */
  get open(): number {
    return this.#streams.size;
  }

  /** How long ago live streams were last compared with the feed, 0 if there are none. */
  get lagSeconds(): number {
    return this.#live.size === 0 ? 0 : (this.deps.clock.monotonicMs() - this.#lastPollMs) / 1000;
  }

  /** Undefined if there are too many, or the service stops. */
  create(request: StreamRequest): EventStream | undefined {
    if (this.#isStopped || this.#streams.size >= this.deps.limit) return undefined;
    const stream = new EventStream(request, {
      onStart: (started) => this.#onStart(started),
      onEnd: (ended, reason) => this.#onEnd(ended, reason),
    });
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#startTimers();
    return stream;
  }

  /** Ends all streams. No other one begins. */
  stop(): void {
    this.#isStopped = true;
    endAll(this.#streams, 'stopping');
  }

  #startTimers(): void {
    const { poll, heartbeat, keyCheck } = this.#intervals;
    this.#lastPollMs = this.deps.clock.monotonicMs();
    this.#timers = [
      setInterval(() => this.poll().catch((error) => this.#reportFailure(error)), poll),
      setInterval(() => this.beat(), heartbeat),
      setInterval(() => this.checkKeys().catch((error) => this.#reportFailure(error)), keyCheck),
    ];
  }

  #onStart(stream: EventStream): void {
    this.#startedMs.set(stream, this.deps.clock.monotonicMs());
    this.#catchUp(stream).catch((error) => {
      this.#reportFailure(error);
      stream.end('unavailable');
    });
  }

  #onEnd(stream: EventStream, reason: StreamEnd): void {
    const { observe, clock } = this.deps;
    this.#streams.delete(stream);
    this.#live.delete(stream);
    if (this.#live.size === 0) this.#head = undefined;
    if (this.#streams.size === 0) for (const timer of this.#timers) clearInterval(timer);
    // A response to HEAD has no stream.
    if (!stream.hasStarted) return;
    const { requestId, keyId } = stream.request;
    const seconds = (clock.monotonicMs() - (this.#startedMs.get(stream) ?? 0)) / 1000;
    observe({
      kind: 'event_stream_ended',
      requestId,
      keyId,
      reason,
      openSeconds: Math.round(seconds * 1e3) / 1e3,
      sentEvents: stream.sentEvents,
    });
  }

  #reportFailure(error: unknown): void {
    this.deps.observe({ kind: 'background_job_failed', error });
  }

  /** Sends events from the database until the stream has all of them. */
  async #catchUp(stream: EventStream): Promise<void> {
    for (;;) {
      // Read before the events: a later one changes it.
      const version = this.deps.version();
      const page = await readFeedPage(
        this.deps.events,
        { ...stream.request, generation: stream.generation },
        stream.position,
      );
      if (stream.isEnded) return;
      if (page === undefined) return stream.end('events_expired');
      sendEvents(stream, page.events);
      stream.position = page.position;
      if (page.isLast && this.#join(stream, version)) return;
      await stream.drained();
      await untilNextTurn();
      if (stream.isEnded) return;
    }
  }

  /** Makes a stream live, unless the live streams have events that it does not have yet. */
  #join(stream: EventStream, version: string | undefined): boolean {
    const { generation, position } = stream;
    if (this.#head !== undefined && this.#head.generation !== generation) {
      endAll(this.#live, 'events_expired');
    }
    this.#head ??= { generation, position, version };
    if (position < this.#head.position) return false;
    this.#live.add(stream);
    return true;
  }

  /** Reads new events for all live streams. Without news, it costs a comparison on SQLite, and a query on PostgreSQL. */
  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#readNews();
      this.#lastPollMs = this.deps.clock.monotonicMs();
    } finally {
      this.#isPolling = false;
    }
  }

  async #readNews(): Promise<void> {
    const head = this.#head;
    // Read before the events: a later one changes it.
    const version = this.deps.version();
    if (head === undefined || (version !== undefined && version === head.version)) return;
    for (let isLast = false; !isLast; ) {
      const selection = { generation: head.generation, ...EVERYTHING };
      const page = await readFeedPage(this.deps.events, selection, head.position);
      if (head !== this.#head) return;
      if (page === undefined) return endAll(this.#live, 'events_expired');
      fanOut(this.#live, page, head.position);
      this.#lastPollMs = this.deps.clock.monotonicMs();
      head.position = page.position;
      isLast = page.isLast;
      // The runtime sends.
      if (!isLast) await untilNextTurn();
    }
    head.version = version;
  }

  /** Sends a heartbeat to all streams. It says that no event is missing. */
  beat(): void {
    if (this.deps.clock.monotonicMs() - this.#lastPollMs > this.#intervals.heartbeat) {
      endAll(this.#streams, 'unavailable');
    }
    for (const stream of this.#streams) stream.beat();
  }

  /** Ends the streams whose API keys may no longer read what the streams send. */
  async checkKeys(): Promise<void> {
    for (const [keyId, streams] of Map.groupBy(this.#streams, ({ request }) => request.keyId)) {
      const scopes = await this.deps.scopesOf(keyId);
      for (const stream of streams) if (!mayRead(stream, scopes)) stream.end('key_invalid');
    }
  }
}

const EVERYTHING: Pick<FeedSelection, 'filters' | 'withKeys'> = { filters: {}, withKeys: true };

const endAll = (streams: Iterable<EventStream>, reason: StreamEnd): void => {
  for (const stream of [...streams]) stream.end(reason);
};

const mayRead = ({ request }: EventStream, scopes: ReadonlySet<string> | undefined): boolean =>
  scopes?.has('events:read') === true && (!request.withKeys || scopes.has('keys:admin'));

/** The rest of the event loop goes first: many pages must not delay other requests. */
const untilNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
