import { Writable } from 'node:stream';
import { Io } from '../../src/cli/io.ts';
import type { Variables } from '../../src/config/config.ts';

/** What a command writes, and what it reads: an input, and these variables alone. */
export function collectedIo(variables: Variables, input: string | Uint8Array = '') {
  const [stdout, stderr]: [Uint8Array[], Uint8Array[]] = [[], []];
  const io = new Io({
    variables,
    input: (async function* () {
      if (input.length > 0) yield Buffer.from(input);
    })(),
    output: into(stdout),
    write: async (bytes) => {
      stdout.push(bytes.slice());
      return bytes.length;
    },
    messages: into(stderr),
  });
  const text = (chunks: Uint8Array[]) => Buffer.concat(chunks).toString();
  return { io, stdout: () => text(stdout), stderr: () => text(stderr) };
}

const into = (chunks: Uint8Array[]): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
