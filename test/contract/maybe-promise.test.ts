/** Work that is asked for while it runs. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeatRuns, shareRuns } from '../../src/maybe-promise.ts';

test('repeated runs never overlap, and calls during a run are answered by one other run', async () => {
  const runs: (() => void)[] = [];
  const run = repeatRuns(() => new Promise<void>((resolve) => runs.push(resolve)));
  const first = run();
  const calls = [run(), run()];
  expect(runs).toHaveLength(1);
  for (const expected of [2, 2]) {
    runs.at(-1)?.();
    await sleep(0);
    expect(runs).toHaveLength(expected);
  }
  await Promise.all([first, ...calls]);
  void run();
  expect(runs).toHaveLength(3);
});

test('simultaneous calls share one run, and a later call gets another one', async () => {
  let runs = 0;
  const run = shareRuns(async () => ++runs);
  expect(await Promise.all([run(), run()])).toEqual([1, 1]);
  expect(await run()).toBe(2);
});
