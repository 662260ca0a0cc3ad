import type { Int64 } from '../int64.ts';
import type { EventFilters } from './event-filters.ts';

/** More bytes that its client has not taken end a stream. The client resumes, and reads from the database at its own pace. */
const MAX_UNSENT_BYTES = 1024 * 1024;

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
  /** Called once, even if the stream never started. */
  readonly onEnd: (stream: EventStream, reason: StreamEnd) => void;
}

/** The response to one client. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly generation: string;
  /** All selected events up to this position were sent. */
  position: Int64;
  sentEvents = 0;
  isEnded = false;
  /** The runtime's side of the stream, as soon as it reads. */
  #sink: ReadableStreamDirectController | undefined;
  /** Pending while the runtime cannot take more. */
  #blocked: Promise<void> | undefined;
  #waiting: Uint8Array[] = [];
  #unsentBytes = 0;
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

  /** Resolves when the client has taken everything. */
  async drained(): Promise<void> {
    while (this.#blocked !== undefined && !this.isEnded) await this.#blocked;
  }

  /** Sends text, or keeps it until the client takes more. */
  send(chunk: Uint8Array): void {
    if (this.isEnded) return;
    if (this.#blocked === undefined) this.#write(chunk);
    else if (this.#unsentBytes > MAX_UNSENT_BYTES) this.end('slow_reader');
    else this.#keep(chunk);
  }

  /** Sends a comment, so that the client and the proxies know that the stream is open. */
  beat(): void {
    if (this.#blocked === undefined) this.send(HEARTBEAT);
    else this.#stalledHeartbeats += 1;
    if (this.#stalledHeartbeats >= MAX_STALLED_HEARTBEATS) this.end('slow_reader');
  }

  end(reason: StreamEnd): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#waiting = [];
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

  #keep(chunk: Uint8Array): void {
    this.#waiting.push(chunk);
    this.#unsentBytes += chunk.length;
  }

  #write(chunk: Uint8Array): void {
    const written = this.#sink?.write(chunk);
    this.#sink?.flush();
    if (typeof written !== 'object') return;
    this.#unsentBytes = chunk.length;
    const unblock = () => this.#unblock();
    this.#blocked = written.then(unblock, unblock);
  }

  /** Sends what was kept. */
  #unblock(): void {
    this.#blocked = undefined;
    this.#stalledHeartbeats = 0;
    this.#unsentBytes = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting) this.send(chunk);
  }
}
