/** What is written together gathers first: for as long as more is about to come, and no longer. */
import { expect, test } from 'bun:test';
import { monotonicMs } from '../../src/clock.ts';
import { gather } from '../../src/storage/gather.ts';

const MOST = 100_000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Keeps the event loop busy, so that a turn takes its time. */
function busy(milliseconds: number): void {
  const until = monotonicMs() + milliseconds;
  while (monotonicMs() < until);
}

/** Starts to gather; tells whether it is over. */
function start(waiting: readonly unknown[], most = MOST): () => boolean {
  let isOver = false;
  gather(waiting, most).then(() => {
    isOver = true;
  });
  return () => isOver;
}

test('what comes while others do takes part', async () => {
  const waiting = [0];
  const isOver = start(waiting);
  for (const next of [1, 2, 3]) {
    await nextTurn();
    expect(isOver()).toBe(false);
    waiting.push(next);
  }
});

test('when nothing more comes, it is over after a few turns', async () => {
  const isOver = start([0]);
  for (let turn = 0; turn < 6; turn += 1) await nextTurn();
  expect(isOver()).toBe(true);
});

test('when as many wait as may, it is over', async () => {
  const isOver = start([0, 1, 2], 3);
  await Promise.resolve();
  expect(isOver()).toBe(true);
});

test('when more comes in every turn and never ends, it is over nevertheless', async () => {
  const waiting = [0];
  const isOver = start(waiting);
  while (!isOver() && waiting.length < 1000) {
    waiting.push(1);
    busy(0.5);
    await nextTurn();
  }
  expect(isOver()).toBe(true);
});
