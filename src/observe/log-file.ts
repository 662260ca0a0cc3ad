import { fstatSync, write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import type { LogDestination } from './logger.ts';

/** The longest time before a line is written. A killed process loses the lines that are not written yet. */
const MAX_DELAY_MS = 50;

/** The size of the buffer in bytes. While the log cannot be written fast enough, lines are dropped. */
const CAPACITY = 1024 * 1024;

/** Lines about requests leave this part of the buffer to others, such as the line about a gap. */
const RESERVED_FOR_EVENTS = 64 * 1024;

/** How often a write is tried while the log cannot be written. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

/** The least time between two reports of dropped lines. */
const REPORT_INTERVAL_MS = 10_000;

/**
 * Up to these sizes, a write is atomic: lines of several processes do not mix. One is for a pipe (POSIX), one for a stream
 * socket, such as the socket of journald. Linux gives it larger writes in several parts.
 */
const PIPE_BUF = 4096;
const SOCKET_BUF = 16 * 1024;

/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** How much text waits to be encoded, in UTF-16 code units. To encode each line alone would cost a cached response 6 %. */
const MAX_TEXT = 16 * 1024;

const LINE_FEED = 0x0a;

/**
 * Writes lines to a file descriptor in batches: a write per line would cost more than handling a request. While the log cannot
 * be written (disk full, pipe closed), lines wait in the buffer. Lines that exceed the buffer are dropped and counted. No line
 * is written in part, unless the process ends in such a time.
 */
export class LogFile implements LogDestination {
  readonly #descriptor: number;
  readonly #maxBytesPerWrite: number;
  /** Receives the number of dropped lines when lines are written again. It may write a line. */
  onDropped: (lines: number) => void = () => {};
  #dropped = 0;
  #reported = 0;
  #nextReportMs = 0;
  #buffer = Buffer.allocUnsafe(CAPACITY);
  #length = 0;
  /** What comes after the bytes in the buffer. */
  #text = '';
  #spare = Buffer.allocUnsafe(CAPACITY);
  /** What is being written. */
  #batch = this.#spare.subarray(0, 0);
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    const stat = fstatSync(descriptor);
    this.#maxBytesPerWrite = stat.isFIFO() ? PIPE_BUF : stat.isSocket() ? SOCKET_BUF : CAPACITY;
  }

  /** The lines that were dropped because the buffer was full. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string, about: 'request' | 'event' = 'event'): void {
    const size = line.length * MAX_BYTES_PER_UNIT;
    const capacity = about === 'request' ? CAPACITY - RESERVED_FOR_EVENTS : CAPACITY;
    const room = capacity - this.#length - this.#text.length * MAX_BYTES_PER_UNIT;
    if (size > room || this.#text.length > MAX_TEXT) {
      this.#encode();
      if (size > capacity - this.#length) this.#flush();
      if (size > capacity - this.#length) {
        this.#dropped += 1;
        return;
      }
    }
    this.#text += line;
    this.#timer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
  }

  /** The lines that wait to be written. */
  get waiting(): number {
    this.#encode();
    return countLines(this.#batch) + countLines(this.#buffer.subarray(0, this.#length));
  }

  /** Resolves when no line is left in the buffer: never, as long as the log cannot be written. */
  async end(): Promise<void> {
    this.#nextReportMs = 0;
    this.#reportDropped();
    this.#encode();
    while (this.#length > 0 || this.#writing) {
      this.#flush();
      await this.#writing;
    }
  }

  #encode(): void {
    this.#length += this.#buffer.write(this.#text, this.#length);
    this.#text = '';
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#encode();
    if (this.#length === 0 || this.#writing) return;
    const bytes = this.#buffer.subarray(0, this.#length);
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.#length = 0;
    this.#batch = bytes;
    this.#writing = this.#writeBatch().finally(() => {
      this.#writing = undefined;
      this.#reportDropped();
      this.#encode();
      if (this.#length > 0) this.#timer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
    });
  }

  /** Writes the batch, whole lines at a time, at most `maxBytesPerWrite` bytes per write. Tries until it succeeds. */
  async #writeBatch(): Promise<void> {
    let pauseMs = MIN_PAUSE_MS;
    let isBetweenLines = true;
    while (this.#batch.length > 0) {
      const length = lengthOfLines(this.#batch, this.#maxBytesPerWrite);
      const written = await tryWrite(this.#descriptor, this.#batch, length);
      if (written > 0) {
        isBetweenLines = this.#batch[written - 1] === LINE_FEED;
        this.#batch = this.#batch.subarray(written);
        pauseMs = MIN_PAUSE_MS;
        continue;
      }
      await sleep(pauseMs);
      // A worker that has written a part of a line tries first: another line seldom gets into it.
      pauseMs = isBetweenLines ? Math.min(2 * pauseMs, MAX_PAUSE_MS) : MIN_PAUSE_MS;
    }
  }

  #reportDropped(): void {
    const lines = this.#dropped - this.#reported;
    const nowMs = monotonicMs();
    if (lines === 0 || nowMs < this.#nextReportMs) return;
    this.#reported = this.#dropped;
    this.#nextReportMs = nowMs + REPORT_INTERVAL_MS;
    this.onDropped(lines);
  }
}

/** Resolves with the number of bytes that were written, 0 after an error. */
const tryWrite = (descriptor: number, bytes: Buffer, length: number): Promise<number> =>
  new Promise((resolve) => {
    write(descriptor, bytes, 0, length, null, (error, count) => resolve(error ? 0 : count));
  });

/** The number of bytes to write at once. */
function lengthOfLines(bytes: Buffer, maxBytesPerWrite: number): number {
  if (bytes.length <= maxBytesPerWrite) return bytes.length;
  const lastNewline = bytes.lastIndexOf(LINE_FEED, maxBytesPerWrite - 1);
  if (lastNewline >= 0) return lastNewline + 1;
  const nextNewline = bytes.indexOf(LINE_FEED);
  return nextNewline === -1 ? bytes.length : nextNewline + 1;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
    lines += 1;
  return lines;
}
