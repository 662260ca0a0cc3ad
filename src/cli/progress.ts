import { monotonicMs } from '../clock.ts';
import type { Io } from './io.ts';

export interface Progress {
  /** Yields the bytes unchanged, and counts them. */
  countBytes(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Shows the number of rows so far, and which part of the total is done: by default the bytes counted. */
  readonly showRows: (rows: number, done?: number) => void;
  /** Prints a message between the lines of progress. */
  print(text: string): void;
  end(): void;
}

const INTERVAL_MS = 5_000;
const INTERVAL_ON_TERMINAL_MS = 200;

/** Goes to the beginning of the line of a terminal, and empties it. */
const EMPTY_LINE = '\r\x1b[K';

/**
 * Shows progress on standard error: on a terminal as one line that changes, otherwise as a line every few seconds.
 * @param total in bytes or in rows; undefined or 0 if unknown.
 * @param unit what is counted.
 */
export function startProgress(io: Io, total: number | undefined, unit = 'rows'): Progress {
  const { messages } = io.streams;
  const intervalMs = messages.isTTY ? INTERVAL_ON_TERMINAL_MS : INTERVAL_MS;
  const startedMs = monotonicMs();
  let nextMs = startedMs + intervalMs;
  let bytesRead = 0;
  const end = () => {
    if (messages.isTTY) messages.write(EMPTY_LINE);
  };
  return {
    async *countBytes(bytes) {
      for await (const chunk of bytes) {
        bytesRead += chunk.length;
        yield chunk;
      }
    },
    showRows(rows, done = bytesRead) {
      const nowMs = monotonicMs();
      if (nowMs < nextMs) return;
      nextMs = nowMs + intervalMs;
      const percentage = total ? `${Math.floor((done / total) * 100)} %, ` : '';
      const rate = Math.round(rows / ((nowMs - startedMs) / 1000));
      const text = `${percentage}${rows} ${unit}, ${rate} ${unit}/s`;
      if (messages.isTTY) messages.write(EMPTY_LINE + text);
      else io.message(text);
    },
    print(text) {
      end();
      io.message(text);
    },
    end,
  };
}
