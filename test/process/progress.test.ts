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
