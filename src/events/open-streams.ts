import type { EventStream } from './event-stream.ts';
import { MAX_CHUNK_BYTES } from './send-page.ts';

/** The most that all streams together leave in memory for clients that do not read. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
const MAX_BLOCKED_STREAMS = MAX_UNSENT_BYTES / MAX_CHUNK_BYTES;

/** One API key has at most this part of all streams: its clients leave some to others. */
const SHARE_OF_KEY = 1 / 4;

/** The open streams of this process, and how many there may be. */
export class OpenStreams implements Iterable<EventStream> {
  readonly #streams = new Set<EventStream>();
  readonly #byKey = new Map<number, Set<EventStream>>();
  /** Those whose clients take no more, the longest first. */
  readonly #blocked = new Set<EventStream>();

  /** @param limit the maximum number of streams. */
  constructor(readonly limit: number) {}

  get size(): number {
    return this.#streams.size;
  }

  get keyIds(): readonly number[] {
    return [...this.#byKey.keys()];
  }

  [Symbol.iterator](): Iterator<EventStream> {
    return this.#streams.values();
  }

  ofKey(keyId: number): ReadonlySet<EventStream> {
    return this.#byKey.get(keyId) ?? NO_STREAMS;
  }

  /** Why no other stream of this API key may begin. Undefined if one may. */
  refusalFor(keyId: number): string | undefined {
    if (this.size >= this.limit) return 'This service sends no more streams of events.';
    return this.ofKey(keyId).size >= this.limit * SHARE_OF_KEY
      ? 'This service sends no more streams of events to this API key: it has a quarter of all.'
      : undefined;
  }

  add(stream: EventStream): void {
    const { keyId } = stream.request;
    this.#streams.add(stream);
    const ofKey = this.#byKey.get(keyId) ?? new Set();
    this.#byKey.set(keyId, ofKey.add(stream));
  }

  delete(stream: EventStream): void {
    const { keyId } = stream.request;
    const ofKey = this.#byKey.get(keyId);
    ofKey?.delete(stream);
    if (ofKey?.size === 0) this.#byKey.delete(keyId);
    this.#streams.delete(stream);
    this.#blocked.delete(stream);
  }

  /** The client of a stream takes no more. If there are too many of them, the one that waits the longest ends. */
  block(stream: EventStream): void {
    this.#blocked.add(stream);
    const [longest] = this.#blocked;
    if (this.#blocked.size > MAX_BLOCKED_STREAMS) longest?.end('slow_reader');
  }

  unblock(stream: EventStream): void {
    this.#blocked.delete(stream);
  }
}

const NO_STREAMS: ReadonlySet<EventStream> = new Set();
