import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '../../src/http/request/exact-json.ts';
import type { ReceivedEvent } from '../support/event-requests.ts';

/** How long a client waits before it resumes, so that many do not connect at once. */
const PAUSE_MS = 20;

export interface FollowerOptions {
  /** Where the service is now: a restarted one may have another port. */
  readonly origin: () => string;
  readonly key: string;
  /** The id to start after. Undefined: starts now. */
  readonly after?: string | undefined;
  /** Receives each event. Without it, only their ids are checked. */
  readonly onEvent?: (event: ReceivedEvent) => void;
  /** The fault of a control, and the number of the event that has it. */
  readonly fault?: { readonly kind: ClientFault; readonly at: number } | undefined;
}

/** Each once: an event is not received, or it is received after its successor. */
export type ClientFault = 'missed' | 'late';

interface ReceivedText {
  readonly id: string;
  readonly data: string;
}

/** Follows the events of a service on a socket of its own, and resumes whenever the connection ends. */
export class Follower {
  /** A number that two followers with the same ids in the same order have in common. */
  hash = 0n;
  /** Of the received events. */
  count = 0;
  lastId: string | undefined;
  connections = 0;
  /** Statuses other than 200. */
  readonly refusals: string[] = [];
  #socket: Socket | undefined;
  #isStreaming = false;
  #isStopped = false;
  #sent = 0;
  #late: ReceivedText | undefined;
  readonly #finished: Promise<void>;

  constructor(readonly options: FollowerOptions) {
    this.lastId = options.after;
    this.#finished = this.#follow();
  }

  /** Closes the connection as a failing network does. Returns whether a stream was cut. */
  disconnect(): boolean {
    const isCut = this.#isStreaming;
    this.#isStreaming = false;
    this.#socket?.destroy();
    return isCut;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.disconnect();
    await this.#finished;
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      await this.#read();
      await sleep(PAUSE_MS);
    }
  }

  /** Resolves when the connection has ended. */
  #read(): Promise<void> {
    const { hostname, port } = new URL(this.options.origin());
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(Number(port), hostname);
    this.#socket = socket;
    let content: Content | undefined;
    let head = '';
    socket.on('data', (bytes) => {
      if (this.#socket !== socket || socket.destroyed) return;
      if (content !== undefined) return content.add(bytes.toString('latin1'));
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const status = head.split(' ')[1] ?? '';
      if (status !== '200') {
        this.refusals.push(status);
        socket.destroy();
        return;
      }
      this.connections += 1;
      this.#isStreaming = true;
      content = new Content((block) => this.#receive(block));
      content.add(head.slice(end + 4));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isStreaming = false;
      resolve();
    });
    socket.write(
      `GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${this.options.key}\r\n` +
        `${this.lastId === undefined ? '' : `Last-Event-ID: ${this.lastId}\r\n`}\r\n`,
    );
    return promise;
  }

  #receive(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    if (id === undefined) return;
    this.lastId = id;
    const data = block.indexOf('\ndata: ');
    if (data === -1) return;
    const event = { id, data: block.slice(data + 7) };
    this.#sent += 1;
    const { fault } = this.options;
    if (fault?.at !== this.#sent) {
      this.#keep(event);
      if (this.#late !== undefined) this.#keep(this.#late);
      this.#late = undefined;
    } else if (fault.kind === 'late') this.#late = event;
  }

  #keep({ id, data }: ReceivedText): void {
    this.count += 1;
    this.hash = hashAfter(this.hash, id);
    if (this.options.onEvent === undefined) return;
    const json = Buffer.from(data, 'latin1').toString();
    this.options.onEvent(parseExactJson(json) as unknown as ReceivedEvent);
  }
}

export const hashAfter = (hash: bigint, id: string): bigint => BigInt(Bun.hash(id, hash));

/** Reads chunked content (RFC 9112, 7.1), and divides it into blocks. */
class Content {
  #rest = '';
  #text = '';

  constructor(readonly onBlock: (block: string) => void) {}

  add(text: string): void {
    this.#rest += text;
    let start = 0;
    for (;;) {
      const line = this.#rest.indexOf('\r\n', start);
      if (line === -1) break;
      const size = Number.parseInt(this.#rest.slice(start, line), 16);
      const end = line + 2 + size;
      if (this.#rest.length < end + 2) break;
      this.#text += this.#rest.slice(line + 2, end);
      start = end + 2;
    }
    this.#rest = this.#rest.slice(start);
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.onBlock(block);
  }
}

/** A client that keeps all events. */
export class KeepingFollower extends Follower {
  readonly events: ReceivedEvent[];

  constructor(options: FollowerOptions) {
    const events: ReceivedEvent[] = [];
    super({ ...options, onEvent: (event) => events.push(event) });
    this.events = events;
  }
}
