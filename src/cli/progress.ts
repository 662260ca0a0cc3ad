import { SingleBar } from 'cli-progress';
import { monotonicMs } from '../clock.ts';
import { tell } from './output.ts';

export interface Progress {
  /** Passes bytes on, counting them. */
  counting(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Sets how many rows were done so far, and how much of the whole that is: the bytes counted, unless told. */
  readonly rows: (rows: number, done?: number) => void;
  /** Says something without disturbing the bar. */
  say(text: string): void;
  end(): void;
}

const LINE_INTERVAL_MS = 5_000;

/**
 * Shows on standard error how far a piece of work is: a bar with rate and time left on a terminal,
 * a line now and then otherwise. `size` is the whole (of a file, in bytes), undefined or 0 when nobody knows.
 */
export function startProgress(size: number | undefined): Progress {
  const startedMs = monotonicMs();
  let bytesRead = 0;
  const rate = (rows: number) =>
    Math.round(rows / Math.max((monotonicMs() - startedMs) / 1000, 0.001));
  const { show, say, end } = process.stderr.isTTY && size ? onTerminal(size) : inLines(size);
  return {
    async *counting(bytes) {
      for await (const chunk of bytes) {
        bytesRead += chunk.length;
        yield chunk;
      }
    },
    rows: (rows, done = bytesRead) => show(done, rows, rate(rows)),
    say,
    end,
  };
}

interface Display {
  show(bytes: number, rows: number, rowsPerSecond: number): void;
  say(text: string): void;
  end(): void;
}

function onTerminal(size: number): Display {
  const bar = new SingleBar({
    format: '{bar} {percentage} % | {rows} rows | {rate} rows/s | {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
  });
  bar.start(size, 0, { rows: 0, rate: 0 });
  return {
    show: (bytes, rows, rate) => bar.update(bytes, { rows, rate }),
    say(text) {
      // The bar stands on the current line: the text takes its place, and the bar is drawn again below.
      process.stderr.write(`\r\x1b[K${text}\n`);
    },
    end: () => bar.stop(),
  };
}

function inLines(size: number | undefined): Display {
  let nextMs = monotonicMs() + LINE_INTERVAL_MS;
  return {
    show(bytes, rows, rate) {
      if (monotonicMs() < nextMs) return;
      nextMs = monotonicMs() + LINE_INTERVAL_MS;
      const part = size ? `${Math.floor((bytes / size) * 100)} %, ` : '';
      tell(`${part}${rows} rows, ${rate} rows/s`);
    },
    say: tell,
    end() {},
  };
}
