import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { Workplace } from '../support/process.ts';

const FILLING = `${'.'.repeat(1023)}\n`;

const { O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

let pipes = 0;

export type Pipe = ReturnType<typeof openPipe>;

/** Opens a pipe whose reader is this process, which reads only in `drain`. */
export function openPipe(place: Workplace) {
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
    /** The write end, for a child process. A write blocks while the pipe is full. */
    input,
    fill() {
      const bytes = Buffer.from(FILLING.repeat(4));
      // First in large writes, then byte by byte.
      for (const length of [bytes.length, 1]) {
        while (transferred(() => writeSync(reader, bytes, 0, length)) > 0);
      }
    },
    /** Reads the pipe empty, and returns the text without what `fill` wrote. */
    drain(): string {
      const bytes = Buffer.alloc(64 * 1024);
      let text = '';
      for (;;) {
        const length = transferred(() => readSync(reader, bytes, 0, bytes.length, null));
        if (length === 0) return text.replaceAll(/^\.+\n?/gm, '');
        text += bytes.toString('latin1', 0, length);
      }
    },
    /** Closes the read end, so that a later write fails with EPIPE. */
    closeReader: () => close(reader),
    [Symbol.dispose]() {
      close(reader);
      close(input);
    },
  };
}

/** The number of bytes transferred, or 0 if the transfer would block. */
function transferred(transfer: () => number): number {
  try {
    return transfer();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
