import { parseExactJson } from '../../src/http/request/exact-json.ts';
import type { ReceivedEvent } from './event-requests.ts';

/** A block of a stream (html.spec.whatwg.org, server-sent events). */
export interface Block {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string | undefined;
  readonly text: string;
}

/** Reads the response to a request for a stream. */
export class StreamReader {
  readonly #reader;
  readonly #decoder = new TextDecoder();
  #rest = '';
  /** The blocks that contain an event. */
  readonly events: Block[] = [];
  /** The other blocks: comments, `retry`, an id alone. */
  readonly others: string[] = [];
  /** The last id of the stream, as a client sends it to resume. */
  lastId: string | undefined;
  /** Resolves with why reading ended: undefined at the end of the stream. */
  readonly ended: Promise<unknown>;
  #onBlock = () => {};

  constructor(readonly response: Response) {
    if (response.body === null) throw new Error('The response has no body.');
    this.#reader = response.body.getReader();
    this.ended = this.#read().catch((error: unknown) => error ?? new Error('failed'));
  }

  get json(): ReceivedEvent[] {
    return this.events.map(({ data = '' }) => parseExactJson(data) as unknown as ReceivedEvent);
  }

  get ids(): (string | undefined)[] {
    return this.events.map(({ id }) => id);
  }

  /** Resolves after the next block. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#onBlock = resolve;
    });
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      this.#rest += this.#decoder.decode(value, { stream: true });
      const blocks = this.#rest.split('\n\n');
      this.#rest = blocks.pop() ?? '';
      for (const text of blocks) this.#receive(text);
      this.#onBlock();
    }
  }

  #receive(text: string): void {
    const fields = new Map(
      text.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)] as const;
      }),
    );
    const block = {
      id: fields.get('id'),
      event: fields.get('event'),
      data: fields.get('data'),
      text,
    };
    this.lastId = block.id ?? this.lastId;
    if (block.data === undefined) this.others.push(text);
    else this.events.push(block);
  }
}
