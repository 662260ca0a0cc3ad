import type { Int64 } from '../int64.ts';
import type { EventFilters } from './event-filters.ts';

/** A client that takes nothing for so many heartbeats has lost its stream. */
const MAX_STALLED_HEARTBEATS = 4;

const encoder = new TextEncoder();

/** How long a client waits before it resumes, in milliseconds. */
const RETRY = 'retry: 2000\n\n';

const HEARTBEAT = encoder.encode(':\n\n');

/** Why a stream ended, as the log says it. */
export type StreamEnd =
  | 'client_closed'
  | 'events_expired'
  | 'key_invalid'
  | 'slow_reader'
  | 'stopping'
  | 'unavailable';

/** What a stream sends to whom. */
export interface StreamRequest {
  readonly requestId: string;
  readonly keyId: number;
  readonly filters: EventFilters;
  /** Whether the stream contains the events of API keys. */
  readonly withKeys: boolean;
  readonly generation: string;
  /** The position after which it starts. */
  readonly position: Int64;
  /** Text to send first. */
  readonly greeting: string;
}

interface StreamCallbacks {
  /** The runtime begins to send the response. */
  readonly onStart: (stream: EventStream) => void;
  /** The client takes no more, until `onDrained`. */
  readonly onBlocked: (stream: EventStream) => void;
  readonly onDrained: (stream: EventStream) => void;
  /** Called once, even if the stream never started. */
  readonly onEnd: (stream: EventStream, reason: StreamEnd) => void;
}

/** The response to one client. It keeps no events: while its client takes no more, it has a position only. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly generation: string;
  /** All selected events up to this position were sent. */
  position: Int64;
  /** When its API key expires, in milliseconds since 1970-01-01T00:00:00Z. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  sentEvents = 0;
  isEnded = false;
  /** The runtime's side of the stream, as soon as it reads. */
  #sink: ReadableStreamDirectController | undefined;
  /** Pending while the client takes no more. */
  #blocked: Promise<void> | undefined;
  #stalledHeartbeats = 0;
  readonly #finished = Promise.withResolvers<void>();

  constructor(
    readonly request: StreamRequest,
    readonly callbacks: StreamCallbacks,
  ) {
    this.generation = request.generation;
    this.position = request.position;
    // A direct stream says when the client takes no more, and can be cut off even then.
    this.body = new ReadableStream<Uint8Array>({
      type: 'direct',
      pull: (sink) => this.#begin(sink),
      cancel: () => this.end('client_closed'),
    });
  }

  get hasStarted(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether text can be sent: the stream is open, and its client has taken what was sent before. */
  get isReady(): boolean {
    return !this.isEnded && this.#blocked === undefined;
  }

  /** Resolves when the client has taken everything, or the stream has ended. */
  async drained(): Promise<void> {
    while (this.#blocked !== undefined && !this.isEnded)
      await Promise.race([this.#blocked, this.#finished.promise]);
  }

  /** Sends text to a client that `isReady`. What the client does not take stays in the memory of this process. */
  send(chunk: Uint8Array): void {
    const written = this.#sink?.write(chunk);
    this.#sink?.flush();
    if (typeof written !== 'object') return;
    const unblock = () => this.#unblock();
    this.#blocked = written.then(unblock, unblock);
    this.callbacks.onBlocked(this);
  }

  /** Sends a comment, so that the client and the proxies know that the stream is open. */
  beat(): void {
    if (this.isReady) this.send(HEARTBEAT);
    else this.#stalledHeartbeats += 1;
    if (this.#stalledHeartbeats >= MAX_STALLED_HEARTBEATS) this.end('slow_reader');
  }

  end(reason: StreamEnd): void {
    if (this.isEnded) return;
    this.isEnded = true;
    // Cut off if the client does not read: otherwise the runtime would wait for it.
    if (this.#blocked !== undefined) this.#sink?.close(new Error(reason));
    else this.#sink?.end();
    this.#finished.resolve();
    this.callbacks.onEnd(this, reason);
  }

  #begin(sink: ReadableStreamDirectController): void | Promise<void> {
    this.#sink = sink;
    if (this.isEnded) {
      sink.end();
      return;
    }
    this.send(encoder.encode(RETRY + this.request.greeting));
    this.callbacks.onStart(this);
    return this.#finished.promise;
  }

  #unblock(): void {
    this.#blocked = undefined;
    this.#stalledHeartbeats = 0;
    this.callbacks.onDrained(this);
  }
}
