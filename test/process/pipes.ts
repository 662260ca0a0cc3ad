import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { Workplace } from '../support/process.ts';

/** One line of what fills a pipe. */
const FILLING = `${'.'.repeat(1023)}\n`;

const { O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/** A real pipe whose reader is this process, which reads only when it is asked to. */
export interface Pipe {
  /** The end to write to, for a child process. It blocks when the pipe is full. */
  readonly input: number;
  /** Writes into the pipe until nothing more fits. */
  fill(): void;
  /** Everything that is in the pipe, without what `fill` wrote. */
  drain(): string;
  /** Ends the reader: a later write to the pipe fails with EPIPE. */
  loseReader(): void;
  close(): void;
}

let pipes = 0;

export function openPipe(place: Workplace): Pipe {
  pipes += 1;
  const path = place.file(`pipe-${pipes}`);
  Bun.spawnSync(['mkfifo', path]);
  const reader = openSync(path, O_RDWR | O_NONBLOCK);
  const input = openSync(path, O_WRONLY);
  const open = new Set([reader, input]);
  const close = (descriptor: number): void => {
    if (open.delete(descriptor)) closeSync(descriptor);
  };
  return {
    input,
    fill() {
      const bytes = Buffer.from(FILLING.repeat(4));
      // First as much as fits at once, then byte by byte.
      for (const length of [bytes.length, 1]) {
        while (transferred(() => writeSync(reader, bytes, 0, length)) > 0);
      }
    },
    drain() {
      const bytes = Buffer.alloc(64 * 1024);
      let text = '';
      for (;;) {
        const length = transferred(() => readSync(reader, bytes, 0, bytes.length, null));
        if (length === 0) return text.replaceAll(/^\.+\n?/gm, '');
        text += bytes.toString('latin1', 0, length);
      }
    },
    loseReader: () => close(reader),
    close() {
      close(reader);
      close(input);
    },
  };
}

/** The number of bytes that are transferred without waiting. */
function transferred(transfer: () => number): number {
  try {
    return transfer();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
