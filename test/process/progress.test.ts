/** The progress that a command shows while it runs. */
import { expect, spyOn, test } from 'bun:test';
import { startProgress } from '../../src/cli/progress.ts';
import { collectedIo } from '../support/collected-io.ts';

test.each([
  ['a known total as a percentage', [4_000, 1_200, 1_000], false, '25 %, 1200 rows, 20 rows/s\n'],
  ['no total as rows', [undefined, 1_200, 1_000], false, '1200 rows, 20 rows/s\n'],
  ['a total of 0 as rows', [0, 1_200, 1_000], false, '1200 rows, 20 rows/s\n'],
  ['no rows', [0, 0, 0], false, '0 rows, 0 rows/s\n'],
  ['one line, empty at the end', [0, 9, 9], true, '\r\x1b[K9 rows, 0 rows/s\r\x1b[K'],
] as const)('after a minute, it shows %s', (_what, [total, rows, done], isTTY, expected) => {
  const { io, stderr } = collectedIo({});
  Object.assign(io.streams.messages, { isTTY });
  using now = spyOn(performance, 'now').mockReturnValue(0);
  const progress = startProgress(io, total);
  now.mockReturnValue(60_000);
  progress.showRows(rows, done);
  progress.end();
  expect(stderr()).toBe(expected);
});

test.each([
  [false, 5_000],
  [true, 200],
])('on a terminal (%p), a line is shown every %d ms', (isTTY, intervalMs) => {
  const { io, stderr } = collectedIo({});
  Object.assign(io.streams.messages, { isTTY });
  using now = spyOn(performance, 'now').mockReturnValue(0);
  const progress = startProgress(io, 0);
  for (const ms of [intervalMs - 1, intervalMs, 2 * intervalMs - 1, 2 * intervalMs]) {
    now.mockReturnValue(ms);
    progress.showRows(ms);
  }
  expect(stderr().match(/\d+(?= rows,)/g)).toEqual([`${intervalMs}`, `${2 * intervalMs}`]);
});

test('the bytes that were read count, and a message empties the line of a terminal', async () => {
  const { io, stderr } = collectedIo({});
  Object.assign(io.streams.messages, { isTTY: true });
  using now = spyOn(performance, 'now').mockReturnValue(0);
  const progress = startProgress(io, 12);
  for (let file = 0; file < 2; file += 1)
    for await (const _ of progress.countBytes(collectedIo({}, 'four').io.streams.input));
  now.mockReturnValue(1_000);
  progress.showRows(3);
  progress.print('skipped');
  expect(stderr()).toBe('\r\x1b[K66 %, 3 rows, 3 rows/s\r\x1b[Kskipped\n');
});
