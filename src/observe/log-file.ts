import { fstatSync, write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';

/** How long a line waits at most. A process that is killed loses the lines that wait. */
const WAIT_MS = 50;

/** How much waits at most: while a log cannot be written fast enough, lines are left out. */
const CAPACITY = 1024 * 1024;

/** Several processes may write to one pipe: it keeps together what is written at once, up to so many bytes (POSIX). */
const PIPE_BUF = 4096;

/** A line in UTF-8 has at most so many bytes for each of its UTF-16 code units. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Writes lines to a file descriptor, many at once: one by one, writing them costs more than
 * answering a request. A log that cannot be written (disk full, reader gone) stops nobody.
 */
export class LogFile implements DestinationStream {
  readonly #descriptor: number;
  readonly #mostAtOnce: number;
  #lines = Buffer.allocUnsafe(CAPACITY);
  #length = 0;
  #spare = Buffer.allocUnsafe(CAPACITY);
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#mostAtOnce = fstatSync(descriptor).isFIFO() ? PIPE_BUF : CAPACITY;
  }

  write(line: string): void {
    if (line.length * MAX_BYTES_PER_UNIT > CAPACITY - this.#length) {
      this.#flush();
      if (line.length * MAX_BYTES_PER_UNIT > CAPACITY - this.#length) return;
    }
    this.#length += this.#lines.write(line, this.#length);
    this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS);
  }

  /** Resolves when everything was written that can be. */
  async end(): Promise<void> {
    while (this.#length > 0 || this.#writing) {
      this.#flush();
      await this.#writing;
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0 || this.#writing) return;
    const bytes = this.#lines.subarray(0, this.#length);
    [this.#lines, this.#spare] = [this.#spare, this.#lines];
    this.#length = 0;
    this.#writing = writeAll(this.#descriptor, bytes, this.#mostAtOnce).finally(() => {
      this.#writing = undefined;
      if (this.#length > 0) this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS);
    });
  }
}

const RETRY_MS = 10;

/** Writes bytes as far as that goes, whole lines of at most `mostAtOnce` bytes together. */
async function writeAll(descriptor: number, bytes: Buffer, mostAtOnce: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const length = lengthOfLines(bytes, offset, mostAtOnce);
    const written = await new Promise<number | undefined>((resolve) => {
      write(descriptor, bytes, offset, length, null, (error, count) =>
        resolve(error ? (error.code === 'EAGAIN' ? 0 : undefined) : count),
      );
    });
    if (written === undefined) return;
    if (written === 0) await sleep(RETRY_MS);
    offset += written;
  }
}

function lengthOfLines(bytes: Buffer, offset: number, mostAtOnce: number): number {
  const rest = bytes.length - offset;
  if (rest <= mostAtOnce) return rest;
  const lastNewline = bytes.lastIndexOf(0x0a, offset + mostAtOnce - 1);
  if (lastNewline >= offset) return lastNewline + 1 - offset;
  const nextNewline = bytes.indexOf(0x0a, offset);
  return nextNewline === -1 ? rest : nextNewline + 1 - offset;
}
