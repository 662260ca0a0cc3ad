/** The progress that a command shows while it runs. */
import { expect, spyOn, test } from 'bun:test';
import { startProgress } from '../../src/cli/progress.ts';
import { collectedIo } from '../support/collected-io.ts';

/** The output after one minute in which `rows` rows, and `done` of `total`, were processed. */
function outputAfterOneMinute(
  total: number | undefined,
  rows: number,
  done: number,
  isTTY = false,
): string {
  const { io, stderr } = collectedIo({});
  Object.assign(io.streams.messages, { isTTY });
  const now = spyOn(performance, 'now').mockReturnValue(0);
  try {
    const progress = startProgress(io, total);
    now.mockReturnValue(60_000);
    progress.showRows(rows, done);
    progress.end();
  } finally {
    now.mockRestore();
  }
  return stderr();
}

test('a known total is shown as a percentage', () => {
  expect(outputAfterOneMinute(4_000, 1_200, 1_000)).toBe('25 %, 1200 rows, 20 rows/s\n');
});

test.each([undefined, 0])('a total of %p is shown as rows without a percentage', (size) => {
  expect(outputAfterOneMinute(size, 1_200, 1_000)).toBe('1200 rows, 20 rows/s\n');
  expect(outputAfterOneMinute(size, 0, 0)).toBe('0 rows, 0 rows/s\n');
});

test('a terminal has one line that changes, and that is empty at the end', () => {
  expect(outputAfterOneMinute(4_000, 1_200, 1_000, true)).toBe(
    '\r\x1b[K25 %, 1200 rows, 20 rows/s\r\x1b[K',
  );
});

test.each([
  [false, 5_000],
  [true, 200],
])('on a terminal (%p), a line is shown every %d ms', (isTTY, intervalMs) => {
  const { io, stderr } = collectedIo({});
  Object.assign(io.streams.messages, { isTTY });
  const now = spyOn(performance, 'now').mockReturnValue(0);
  const progress = startProgress(io, 0);
  for (const ms of [intervalMs - 1, intervalMs, 2 * intervalMs - 1, 2 * intervalMs]) {
    now.mockReturnValue(ms);
    progress.showRows(ms);
  }
  now.mockRestore();
  expect(stderr().match(/\d+(?= rows,)/g)).toEqual([`${intervalMs}`, `${2 * intervalMs}`]);
});

test('the bytes that were read count, and a message empties the line of a terminal', async () => {
  const { io, stderr } = collectedIo({});
  Object.assign(io.streams.messages, { isTTY: true });
  const now = spyOn(performance, 'now').mockReturnValue(0);
  const progress = startProgress(io, 12);
  for (let file = 0; file < 2; file += 1)
    for await (const _ of progress.countBytes(collectedIo({}, 'four').io.streams.input));
  now.mockReturnValue(1_000);
  progress.showRows(3);
  now.mockRestore();
  progress.print('skipped');
  expect(stderr()).toBe('\r\x1b[K66 %, 3 rows, 3 rows/s\r\x1b[Kskipped\n');
});
