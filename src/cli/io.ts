import { write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Variables } from '../config/config.ts';

/** What a command reads and writes, apart from files and databases. */
export interface Io {
  /** The environment variables. */
  readonly variables: Variables;
  readonly input: AsyncIterable<Uint8Array>;
  /** Standard output, for a long text. */
  readonly output: Writable;
  /** Write the first of these bytes to standard output, at least one, and return how many. @throws the error of the system */
  writeSync(bytes: Uint8Array): number;
  writeLater(bytes: Uint8Array): Promise<number>;
  /** Standard error. */
  readonly messages: Writable & { readonly isTTY?: boolean };
}

const STANDARD_OUTPUT = 1;
const writeAsync = promisify(write);

/** That of this process. */
export const processIo: Io = {
  variables: process.env,
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  writeSync: (bytes) => writeSync(STANDARD_OUTPUT, bytes),
  writeLater: async (bytes) => (await writeAsync(STANDARD_OUTPUT, bytes)).bytesWritten,
  get messages() {
    return process.stderr;
  },
};
