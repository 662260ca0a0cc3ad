/** What is written together gathers first: for as long as more is about to come, and no longer. */
import { beforeEach, expect, test } from 'bun:test';
import { batchWindow } from '../../src/storage/batch-window.ts';

const MOST = 1000;

let nowMs: number;
let waiting: number[];
let isOver: boolean;
beforeEach(() => {
  nowMs = 5;
  waiting = [0];
  isOver = false;
});

function start(most = MOST): void {
  batchWindow(waiting, most, () => nowMs).then(() => {
    isOver = true;
  });
}

/** Lets turns of the event loop pass, each of which may bring one more. */
async function turns(count: number, bringsMore = false): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    if (bringsMore) waiting.push(turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('it is over when four turns have brought nothing', async () => {
  start();
  await turns(3);
  expect(isOver).toBe(false);
  await turns(1);
  expect(isOver).toBe(true);
});

test('what comes meanwhile takes part, and has the turns counted anew', async () => {
  start();
  for (let time = 0; time < 5; time += 1) {
    await turns(3);
    await turns(1, true);
    expect(isOver).toBe(false);
  }
  await turns(20, true);
  expect(isOver).toBe(false);
  await turns(4);
  expect(isOver).toBe(true);
});

test('it is over when as many wait as may', async () => {
  start(10);
  await turns(8, true);
  expect(isOver).toBe(false);
  await turns(1, true);
  expect(isOver).toBe(true);
});

test('where as many wait as may, it is over at once', async () => {
  start(1);
  await Promise.resolve();
  expect(isOver).toBe(true);
});

test('it is over after ten milliseconds, though every turn brings more', async () => {
  start();
  nowMs += 9.9;
  await turns(5, true);
  expect(isOver).toBe(false);
  nowMs += 0.1;
  await turns(1, true);
  expect(isOver).toBe(true);
});
