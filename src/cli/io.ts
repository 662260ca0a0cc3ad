import { write } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Variables } from '../config/config.ts';
import { escapeControlCharacters } from '../control-characters.ts';
import { renderIndentedJson } from '../http/request/exact-json.ts';
import { failureOf } from '../observe/exception.ts';
import { cannotWrite } from './failures.ts';

/** What a command reads and writes, apart from files and databases. */
export interface Streams {
  readonly variables: Variables;
  readonly input: AsyncIterable<Uint8Array>;
  /** Standard output, for a long text. */
  readonly output: Writable;
  /** Writes the first of these bytes to standard output, at least one. Resolves with how many. @throws the error of the system */
  write(bytes: Uint8Array): Promise<number>;
  /** Standard error. */
  readonly messages: Writable & { readonly isTTY?: boolean };
}

const STANDARD_OUTPUT = 1;
const writeAsync = promisify(write);

export const PROCESS_STREAMS: Streams = {
  variables: process.env,
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  write: async (bytes) => (await writeAsync(STANDARD_OUTPUT, bytes)).bytesWritten,
  get messages() {
    return process.stderr;
  },
};

const RETRY_MS = 5;

/** One line, or several. */
type Lines = string | readonly string[];

/** The lines with their line breaks. Control characters are escaped, also line breaks: a name from elsewhere must not forge a line. */
const render = (lines: Lines): string =>
  [lines]
    .flat()
    .map((line) => `${escapeControlCharacters(line)}\n`)
    .join('');

/** Prints what a command says. */
export class Io {
  constructor(readonly streams: Streams) {}

  /**
   * Writes a result to standard output. Resolves with false if the reader closes the pipe early, as `head` does: the rest is
   * dropped.
   * @throws CommandFailed if the result cannot be written completely. `console.log` would ignore that.
   */
  async result(lines: Lines): Promise<boolean> {
    const bytes = Buffer.from(render(lines));
    for (let written = 0; written < bytes.length; ) {
      try {
        written += await this.streams.write(bytes.subarray(written));
      } catch (error) {
        const code = failureOf(error);
        if (code === 'EPIPE') return false;
        if (code !== 'EAGAIN') throw cannotWrite('Standard output', error);
        await sleep(RETRY_MS);
      }
    }
    return true;
  }

  /** In JSON, the escapes mean the same characters. */
  json(value: unknown): Promise<boolean> {
    return this.result(renderIndentedJson(value).split('\n'));
  }

  /** Writes a message for people to standard error. `console.error` would colour it red on a terminal. */
  message(lines: Lines): void {
    this.streams.messages.write(render(lines));
  }
}
