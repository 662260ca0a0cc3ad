import { connect, type Socket } from 'node:net';
import { type RawResponse, readResponse } from './responses.ts';

/** A connection on which any bytes can be sent. */
export class RawConnection {
  /** What was received and not read yet. */
  unread: Buffer = Buffer.alloc(0);
  /** Whether the server has closed the connection. */
  isClosed = false;
  readonly #socket: Socket;
  #onChange = (): void => {};

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => {
      this.unread = this.unread.length === 0 ? chunk : Buffer.concat([this.unread, chunk]);
      this.#onChange();
    });
    const onClose = () => {
      this.isClosed = true;
      this.#onChange();
    };
    this.#socket.on('end', onClose);
    this.#socket.on('close', onClose);
    // An error is followed by `close`.
    this.#socket.on('error', () => {});
  }

  send(bytes: Uint8Array): void {
    if (!this.isClosed) this.#socket.write(bytes);
  }

  /** Sends no more bytes. The server may still respond. */
  halfClose(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * Reads the next response.
   * @returns `closed` if the server closes the connection before, `silent` if neither happens in time
   * @throws Malformed
   */
  async response(isHead: boolean, limitMs: number): Promise<RawResponse | 'closed' | 'silent'> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const read = readResponse(this.unread, isHead, this.isClosed);
      if (read !== undefined) {
        this.unread = this.unread.subarray(read.length);
        return read.response;
      }
      if (this.isClosed) return 'closed';
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return 'silent';
      await this.#changed(leftMs);
    }
  }

  #changed(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
