import { SingleBar } from 'cli-progress';
import { monotonicMs } from '../clock.ts';
import type { Io } from './io.ts';
import { printMessage } from './output.ts';

export interface Progress {
  /** Yields the bytes unchanged, and counts them. */
  countBytes(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Shows the number of rows processed so far, and which part of the total is done: by default the bytes counted. */
  readonly showRows: (rows: number, done?: number) => void;
  /** Prints a message above the bar. */
  print(text: string): void;
  end(): void;
}

const LINE_INTERVAL_MS = 5_000;

/**
 * Shows progress on standard error: on a terminal as a bar with the rate and the remaining time,
 * otherwise as a line every few seconds.
 * @param total in bytes or in rows; undefined or 0 if unknown.
 * @param unit what is counted.
 */
export function startProgress(io: Io, total: number | undefined, unit = 'rows'): Progress {
  const startedMs = monotonicMs();
  let bytesRead = 0;
  const rate = (rows: number) =>
    Math.round(rows / Math.max((monotonicMs() - startedMs) / 1000, 0.001));
  const { show, print, end } =
    io.messages.isTTY && total ? progressBar(io, total, unit) : lines(io, total, unit);
  return {
    async *countBytes(bytes) {
      for await (const chunk of bytes) {
        bytesRead += chunk.length;
        yield chunk;
      }
    },
    showRows: (rows, done = bytesRead) => show(done, rows, rate(rows)),
    print,
    end,
  };
}

interface Display {
  show(done: number, rows: number, rowsPerSecond: number): void;
  print(text: string): void;
  end(): void;
}

function progressBar(io: Io, total: number, unit: string): Display {
  const bar = new SingleBar({
    format: `{bar} {percentage} % | {rows} ${unit} | {rate} ${unit}/s | {eta_formatted} left`,
    stream: io.messages,
    clearOnComplete: true,
  });
  bar.start(total, 0, { rows: 0, rate: 0 });
  return {
    show: (done, rows, rate) => bar.update(done, { rows, rate }),
    print(text) {
      // Replaces the bar on the current line. The bar is drawn again below.
      io.messages.write('\r\x1b[K');
      printMessage(io, text);
    },
    end: () => bar.stop(),
  };
}

function lines(io: Io, total: number | undefined, unit: string): Display {
  let nextMs = monotonicMs() + LINE_INTERVAL_MS;
  return {
    show(done, rows, rate) {
      if (monotonicMs() < nextMs) return;
      nextMs = monotonicMs() + LINE_INTERVAL_MS;
      const percentage = total ? `${Math.floor((done / total) * 100)} %, ` : '';
      printMessage(io, `${percentage}${rows} ${unit}, ${rate} ${unit}/s`);
    },
    print: (text) => printMessage(io, text),
    end() {},
  };
}
