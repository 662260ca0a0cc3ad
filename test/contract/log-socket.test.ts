/** The log may be a stream socket that workers share, such as that of journald. */
import { dlopen, FFIType, ptr } from 'bun:ffi';
import { describe, expect, test } from 'bun:test';
import { closeSync, readFileSync, readSync } from 'node:fs';
import { LogFile } from '../../src/observe/log-file.ts';
import { spawnGuarded } from '../support/guard.ts';
import { ROOT } from '../support/process.ts';

const AF_UNIX = 1;
const SOCK_STREAM = 1;
/** Each write stays a packet of its own. */
const SOCK_SEQPACKET = 5;
/** A write fails while it is full. */
const SOCK_NONBLOCK = 2048;

const WRITERS = 3;

/** Writes more than fits into a socket, in several batches. */
const PROGRAM = `
  const { LogFile } = await import('${ROOT}src/observe/log-file.ts');
  const log = new LogFile(1);
  for (let batch = 0; batch < 4; batch += 1) {
    for (let line = 0; line < 900; line += 1) {
      log.write(JSON.stringify({ writer: process.argv[1], text: 'x'.repeat(300) }) + '\\n');
    }
    await Bun.sleep(60);
  }
  await log.end();
`;

function openSocketPair(type = SOCK_STREAM): readonly [number, number] {
  const { socketpair } = dlopen('libc.so.6', {
    socketpair: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr],
      returns: FFIType.i32,
    },
  }).symbols;
  const pair = new Int32Array(2);
  expect(socketpair(AF_UNIX, type, 0, ptr(pair))).toBe(0);
  return [pair[0] as number, pair[1] as number];
}

/** The calls of the system that this process has made to write, until now. */
const writes = (): number =>
  Number(/syscw: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

describe.skipIf(process.platform !== 'linux')('a log in a socket', () => {
  test('the lines of several processes do not mix in a socket that is read slowly', async () => {
    const [output, input] = openSocketPair();
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      spawnGuarded([process.execPath, '-e', PROGRAM, String(writer)], { stdout: input }),
    );
    closeSync(input);
    const bytes = Buffer.alloc(20_000);
    let text = '';
    for (;;) {
      const length = readSync(output, bytes, 0, bytes.length, null);
      if (length === 0) break;
      text += bytes.toString('latin1', 0, length);
      Bun.sleepSync(2);
    }
    closeSync(output);
    expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0, 0]);
    const lines = text.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(5_000);
    const whole = /^{"writer":"[012]","text":"x{300}"}$/;
    expect(lines.filter((line) => !whole.test(line))).toEqual([]);
  });

  test('a write to a socket has whole lines, and no more bytes than Linux keeps together, except one longer line', async () => {
    const [output, input] = openSocketPair(SOCK_SEQPACKET);
    const log = new LogFile(input);
    // 3,276 lines are less than 16 KiB, and 3,277 are one byte more.
    for (let line = 0; line < 10_000; line += 1) log.write('line\n');
    log.write(`${'x'.repeat(19_999)}\n`);
    log.write('line\n');
    await log.end();
    closeSync(input);
    const bytes = Buffer.alloc(100_000);
    const sizes: number[] = [];
    for (;;) {
      const length = readSync(output, bytes, 0, bytes.length, null);
      if (length === 0) break;
      sizes.push(length);
    }
    closeSync(output);
    expect(sizes).toEqual([16_380, 16_380, 16_380, 860, 20_000, 5]);
  });

  test('a log that is full between two lines causes no error, and is tried less and less often, while its lines wait', async () => {
    // It stays open: the log goes on trying.
    const [, input] = openSocketPair(SOCK_SEQPACKET | SOCK_NONBLOCK);
    const log = new LogFile(input);
    for (let line = 0; line < 100_000; line += 1) log.write('line\n');
    void log.end();
    await Bun.sleep(300);
    const before = writes();
    await Bun.sleep(1_000);
    expect(writes() - before).toBeLessThan(50);
    expect(log.waiting).toBeGreaterThan(0);
    expect(log.dropped).toBe(0);
  });
});
