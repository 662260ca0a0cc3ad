import { type Clock, isBefore, type MonotonicClock } from '../clock.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Principal } from '../http/request/principal.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import type { EventReader } from './event-store.ts';
import { EventStream, type StreamEnd, type StreamRequest } from './event-stream.ts';
import { type FeedPage, type FeedSelection, readFeedPage } from './feed-page.ts';
import { OpenStreams } from './open-streams.ts';
import { sendPage } from './send-page.ts';

/** How often the service does something for its streams, in milliseconds. */
export interface StreamIntervals {
  /** Looks for new events. */
  readonly poll: number;
  /** Sends a comment. */
  readonly heartbeat: number;
  /** Checks all API keys of the streams. */
  readonly keyCheck: number;
}

const INTERVALS: StreamIntervals = { poll: 200, heartbeat: 15_000, keyCheck: 30_000 };

/** Streams that catch up take turns, so that other requests get connections of PostgreSQL, too. */
const SIMULTANEOUS_READS = 4;

export interface EventStreamsDeps {
  readonly events: EventReader;
  /** The holder of an API key, undefined if the key is not valid now. */
  readonly holderOf: (keyId: number) => MaybePromise<Principal | undefined>;
  /** A text that changes when an event is added. Undefined: only a query can tell. */
  readonly version: () => string | undefined;
  readonly observe: Observe;
  readonly clock: Clock & MonotonicClock;
  /** The maximum number of streams. One API key has at most a quarter of them. */
  readonly limit: number;
  readonly intervals?: StreamIntervals | undefined;
}

/** The position up to which the feed was read for all streams. Live streams have it, too. */
interface Head {
  readonly generation: string;
  position: Int64;
  /** The version when the events up to this position were read. */
  version: string | undefined;
}

/**
 * The streams of this process. A stream first reads the database by itself, at the pace of its client, until it has caught up. From then on it is
 * live: one poll reads new events for all live streams, and each event is formatted once. A stream whose client does not keep up reads by itself again.
 */
export class EventStreams {
  readonly #streams: OpenStreams;
  readonly #live = new Set<EventStream>();
  readonly #reads = new FairQueue(SIMULTANEOUS_READS);
  readonly #startedMs = new WeakMap<EventStream, number>();
  #head: Head | undefined;
  #isPolling = false;
  #lastPollMs = 0;
  #isStopped = false;
  #timers: readonly ReturnType<typeof setInterval>[] = [];

  readonly #intervals: StreamIntervals;

  constructor(readonly deps: EventStreamsDeps) {
    this.#intervals = deps.intervals ?? INTERVALS;
    this.#streams = new OpenStreams(deps.limit);
  }

  /** The number of open streams. */
  get open(): number {
    return this.#streams.size;
  }

  /** How long ago streams were last compared with the feed, 0 if there are none. */
  get lagSeconds(): number {
    return this.open === 0 ? 0 : (this.deps.clock.monotonicMs() - this.#lastPollMs) / 1000;
  }

  /** Returns why there is none: too many of this API key, too many of all, or a stop of the service. */
  create(request: StreamRequest): EventStream | string {
    const refusal = this.#streams.refusalFor(request.keyId);
    if (this.#isStopped || refusal !== undefined) return refusal ?? 'This service stops.';
    const stream = new EventStream(request, {
      onStart: (started) => this.#onStart(started),
      onBlocked: (blocked) => this.#streams.block(blocked),
      onDrained: (drained) => this.#streams.unblock(drained),
      onEnd: (ended, reason) => this.#onEnd(ended, reason),
    });
    this.#streams.add(stream);
    if (this.open === 1) this.#startTimers();
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
    this.#startCatchingUp(stream);
  }

  #startCatchingUp(stream: EventStream): void {
    this.#catchUp(stream).catch((error) => {
      this.#reportFailure(error);
      stream.end('unavailable');
    });
  }

  #onEnd(stream: EventStream, reason: StreamEnd): void {
    const { observe, clock } = this.deps;
    this.#streams.delete(stream);
    this.#live.delete(stream);
    if (this.open === 0) {
      this.#head = undefined;
      for (const timer of this.#timers) clearInterval(timer);
    }
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

  #reportDamage({ events }: FeedPage): void {
    for (const { damage } of events) if (damage !== undefined) this.#reportFailure(damage);
  }

  /** Sends events from the database until the stream has all of them. */
  async #catchUp(stream: EventStream): Promise<void> {
    for (;;) {
      await stream.drained();
      const sendNext = () => this.#sendNextPage(stream);
      if (stream.isEnded || (await this.#reads.run(stream.request.keyId, sendNext))) return;
      await untilNextTurn();
    }
  }

  /** Returns whether the stream has all events. */
  async #sendNextPage(stream: EventStream): Promise<boolean> {
    // It may have ended while it waited for its turn.
    if (stream.isEnded) return false;
    // Read before the events: a later one changes it.
    const version = this.deps.version();
    const selection = { ...stream.request, generation: stream.generation };
    const page = await readFeedPage(this.deps.events, selection, stream.position);
    // Read after the events: if the key is valid, it was valid when they happened.
    applyKey(stream, await this.deps.holderOf(stream.request.keyId));
    if (stream.isEnded) return false;
    if (page === undefined) {
      stream.end('events_expired');
      return false;
    }
    this.#reportDamage(page);
    sendPage(stream, page);
    return (
      !stream.isEnded &&
      page.isLast &&
      stream.position === page.position &&
      this.#join(stream, version)
    );
  }

  /** Makes a stream live, unless the live streams have events that it does not have yet. */
  async #join(stream: EventStream, version: string | undefined): Promise<boolean> {
    const { generation, position } = stream;
    if (this.#head !== undefined && this.#head.generation !== generation) {
      // The next reads tell which generation is over. This one is for the live streams.
      await this.poll();
      return false;
    }
    this.#head ??= { generation, position, version };
    if (position < this.#head.position) return false;
    this.#live.add(stream);
    return true;
  }

  /** The events after the head are not known. */
  #expire(): void {
    this.#head = undefined;
    endAll(this.#live, 'events_expired');
  }

  /** Reads new events for all live streams. Without news, it costs a comparison on SQLite, and a query on PostgreSQL. */
  async poll(): Promise<void> {
    for (const stream of this.#streams) {
      if (!isBefore(this.deps.clock, stream.expiresAtMs)) stream.end('key_invalid');
    }
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
      if (page === undefined) return this.#expire();
      this.#reportDamage(page);
      await this.#sendNews(page, head);
      if (head !== this.#head) return;
      this.#lastPollMs = this.deps.clock.monotonicMs();
      isLast = page.isLast;
      // The runtime sends.
      if (!isLast) await untilNextTurn();
    }
    head.version = version;
  }

  /** Sends a page to the live streams. After an event of an API key, the streams of the key end if it is not valid any more. */
  async #sendNews(page: FeedPage, head: Head): Promise<void> {
    for (const { position, isOfKey, subject } of page.events) {
      if (!isOfKey) continue;
      this.#fanOut(page, position, head);
      const keyId = Number(subject.slice(subject.indexOf('/') + 1));
      await this.#checkKey(keyId);
      if (head !== this.#head) return;
    }
    this.#fanOut(page, page.position, head);
  }

  /** Sends the events up to a position to the live streams. */
  #fanOut({ events, isLast }: FeedPage, position: Int64, head: Head): void {
    const page = { events: events.filter((event) => event.position <= position), position, isLast };
    head.position = position;
    for (const stream of this.#live) {
      sendPage(stream, page);
      if (stream.position < position) this.#fallBehind(stream);
    }
  }

  #fallBehind(stream: EventStream): void {
    this.#live.delete(stream);
    this.#startCatchingUp(stream);
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
    for (const keyId of this.#streams.keyIds) await this.#checkKey(keyId);
  }

  async #checkKey(keyId: number): Promise<void> {
    if (this.#streams.ofKey(keyId).size === 0) return;
    const holder = await this.deps.holderOf(keyId);
    for (const stream of this.#streams.ofKey(keyId)) applyKey(stream, holder);
  }
}

const EVERYTHING: Pick<FeedSelection, 'filters' | 'withKeys'> = { filters: {}, withKeys: true };

const endAll = (streams: Iterable<EventStream>, reason: StreamEnd): void => {
  for (const stream of [...streams]) stream.end(reason);
};

/** @param holder undefined if the key is not valid. */
function applyKey(stream: EventStream, holder: Principal | undefined): void {
  const { scopes, expiresAtMs = 0 } = holder ?? {};
  stream.expiresAtMs = expiresAtMs;
  const mayRead =
    scopes?.has('events:read') && (!stream.request.withKeys || scopes.has('keys:admin'));
  if (!mayRead) stream.end('key_invalid');
}

/** The rest of the event loop goes first: many pages must not delay other requests. */
const untilNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
