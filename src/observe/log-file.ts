import { fstatSync, write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import type { LogDestination } from './logger.ts';

/** The longest time before a line is written. A killed process loses the lines that are not written yet. */
const MAX_DELAY_MS = 50;

/** The size of the buffer in bytes. While the log cannot be written fast enough, lines are dropped. */
const CAPACITY = 1024 * 1024;

/** The part of the buffer that lines about requests leave to the others, such as the one that says why the log has a gap. */
const RESERVED_FOR_EVENTS = 64 * 1024;

/** How often a write is tried while the log cannot be written. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

/** The least time between two reports of dropped lines. */
const REPORT_INTERVAL_MS = 10_000;

/** Up to this size, a write to a pipe is atomic (POSIX), so that lines of several processes do not mix. */
const PIPE_BUF = 4096;

/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

const LINE_FEED = 0x0a;

/**
 * Writes lines to a file descriptor in batches: a write per line would cost more than handling a
 * request. While the log cannot be written (disk full, pipe closed), lines wait in the buffer, and those that exceed it are
 * dropped and counted. No line is written in part, unless the process ends in such a time.
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

  write(line: string, about: 'request' | 'event' = 'event'): void {
    const size = line.length * MAX_BYTES_PER_UNIT;
    const capacity = about === 'request' ? CAPACITY - RESERVED_FOR_EVENTS : CAPACITY;
    if (size > capacity - this.#length) {
      this.#flush();
      if (size > capacity - this.#length) {
        this.#dropped += 1;
        return;
      }
    }
    this.#length += this.#buffer.write(line, this.#length);
    this.#timer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
  }

  /** Resolves when no line is left in the buffer: never, as long as the log cannot be written. */
  async end(): Promise<void> {
    this.#nextReportMs = 0;
    this.#reportDropped();
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
      this.#reportDropped();
      if (this.#length > 0) this.#timer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
    });
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

/** Writes bytes, whole lines at a time, at most `maxBytesPerWrite` bytes per write. Tries until it succeeds. */
async function writeAll(
  descriptor: number,
  bytes: Buffer,
  maxBytesPerWrite: number,
): Promise<void> {
  let pauseMs = MIN_PAUSE_MS;
  for (let offset = 0; offset < bytes.length; ) {
    const length = lengthOfLines(bytes, offset, maxBytesPerWrite);
    const written = await tryWrite(descriptor, bytes, offset, length);
    offset += written;
    if (written > 0) {
      pauseMs = MIN_PAUSE_MS;
      continue;
    }
    await sleep(pauseMs);
    // Of several workers, the one that has written a part of a line tries first, so that no other line gets into it.
    const isBetweenLines = offset === 0 || bytes[offset - 1] === LINE_FEED;
    pauseMs = isBetweenLines ? Math.min(2 * pauseMs, MAX_PAUSE_MS) : MIN_PAUSE_MS;
  }
}

/** Resolves with the number of bytes that were written, 0 after an error. */
const tryWrite = (
  descriptor: number,
  bytes: Buffer,
  offset: number,
  length: number,
): Promise<number> =>
  new Promise((resolve) => {
    write(descriptor, bytes, offset, length, null, (error, count) => resolve(error ? 0 : count));
  });

function lengthOfLines(bytes: Buffer, offset: number, maxBytesPerWrite: number): number {
  const rest = bytes.length - offset;
  if (rest <= maxBytesPerWrite) return rest;
  const lastNewline = bytes.lastIndexOf(LINE_FEED, offset + maxBytesPerWrite - 1);
  if (lastNewline >= offset) return lastNewline + 1 - offset;
  const nextNewline = bytes.indexOf(LINE_FEED, offset);
  return nextNewline === -1 ? rest : nextNewline + 1 - offset;
}
