import { fstatSync, write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogDestination } from './logger.ts';

/** The longest time before a line is written. A killed process loses the lines that are not written yet. */
const MAX_DELAY_MS = 50;

/** The size of the buffer in bytes. While the log cannot be written fast enough, lines are dropped. */
const CAPACITY = 1024 * 1024;

/** Up to this size, a write to a pipe is atomic (POSIX), so that lines of several processes do not mix. */
const PIPE_BUF = 4096;

/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Writes lines to a file descriptor in batches: a write per line would cost more than handling a
 * request. If the log cannot be written (disk full, pipe closed), lines are dropped without an error.
 */
export class LogFile implements LogDestination {
  readonly #descriptor: number;
  readonly #maxBytesPerWrite: number;
  #dropped = 0;
  #buffer = Buffer.allocUnsafe(CAPACITY);
  #length = 0;
  #spare = Buffer.allocUnsafe(CAPACITY);
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#maxBytesPerWrite = fstatSync(descriptor).isFIFO() ? PIPE_BUF : CAPACITY;
  }

  /** The lines that were dropped because the buffer was full. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (line.length * MAX_BYTES_PER_UNIT > CAPACITY - this.#length) {
      this.#flush();
      if (line.length * MAX_BYTES_PER_UNIT > CAPACITY - this.#length) {
        this.#dropped += 1;
        return;
      }
    }
    this.#length += this.#buffer.write(line, this.#length);
    this.#timer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
  }

  /** Resolves when no line is left in the buffer. */
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
    const bytes = this.#buffer.subarray(0, this.#length);
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.#length = 0;
    this.#writing = writeAll(this.#descriptor, bytes, this.#maxBytesPerWrite).finally(() => {
      this.#writing = undefined;
      if (this.#length > 0) this.#timer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
    });
  }
}

const RETRY_MS = 10;

/** Writes bytes, whole lines at a time, at most `maxBytesPerWrite` bytes per write. Drops the rest on an error. */
async function writeAll(
  descriptor: number,
  bytes: Buffer,
  maxBytesPerWrite: number,
): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const length = lengthOfLines(bytes, offset, maxBytesPerWrite);
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

function lengthOfLines(bytes: Buffer, offset: number, maxBytesPerWrite: number): number {
  const rest = bytes.length - offset;
  if (rest <= maxBytesPerWrite) return rest;
  const lastNewline = bytes.lastIndexOf(0x0a, offset + maxBytesPerWrite - 1);
  if (lastNewline >= offset) return lastNewline + 1 - offset;
  const nextNewline = bytes.indexOf(0x0a, offset);
  return nextNewline === -1 ? rest : nextNewline + 1 - offset;
}
