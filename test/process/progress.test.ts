/** How far a piece of work is, as it is shown while the work goes on. */
import { expect, spyOn, test } from 'bun:test';
import { startProgress } from '../../src/cli/progress.ts';

/** What is shown after a minute in which `rows` rows were done, `done` of `size`. */
function shownAfterAMinute(size: number | undefined, rows: number, done: number): string {
  let shown = '';
  const write = spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += text;
    return true;
  });
  const now = spyOn(performance, 'now').mockReturnValue(0);
  try {
    const progress = startProgress(size);
    now.mockReturnValue(60_000);
    progress.showRows(rows, done);
    progress.end();
  } finally {
    write.mockRestore();
    now.mockRestore();
  }
  return shown;
}

test('a whole of known size is shown in percent', () => {
  expect(shownAfterAMinute(4_000, 1_200, 1_000)).toBe('25 %, 1200 rows, 20 rows/s\n');
});

test.each([undefined, 0])(
  'a whole of size %p, of which no part can be told, is shown in rows',
  (size) => {
    expect(shownAfterAMinute(size, 1_200, 1_000)).toBe('1200 rows, 20 rows/s\n');
    expect(shownAfterAMinute(size, 0, 0)).toBe('0 rows, 0 rows/s\n');
  },
);
