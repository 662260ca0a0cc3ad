import { beforeEach, expect, test } from 'bun:test';
import { batchWindow } from '../../src/storage/batch-window.ts';

const MAX_BATCH_SIZE = 1000;

let nowMs: number;
let waiting: number[];
let isClosed: boolean;
beforeEach(() => {
  nowMs = 5;
  waiting = [0];
  isClosed = false;
});

function start(maxBatchSize = MAX_BATCH_SIZE): void {
  batchWindow(waiting, maxBatchSize, () => nowMs).then(() => {
    isClosed = true;
  });
}

/** Waits for turns of the event loop, each with one more write if `addsWrite`. */
async function turns(count: number, addsWrite = false): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    if (addsWrite) waiting.push(turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('the batch window closes after four turns without a write', async () => {
  start();
  await turns(3);
  expect(isClosed).toBe(false);
  await turns(1);
  expect(isClosed).toBe(true);
});

test('the batch window counts the turns again after each write', async () => {
  start();
  for (let time = 0; time < 5; time += 1) {
    await turns(3);
    await turns(1, true);
    expect(isClosed).toBe(false);
  }
  await turns(20, true);
  expect(isClosed).toBe(false);
  await turns(4);
  expect(isClosed).toBe(true);
});

test('the batch window closes when the maximum number of writes wait', async () => {
  start(10);
  await turns(8, true);
  expect(isClosed).toBe(false);
  await turns(1, true);
  expect(isClosed).toBe(true);
});

test('the batch window closes immediately if the maximum is reached at the start', async () => {
  start(1);
  await Promise.resolve();
  expect(isClosed).toBe(true);
});

test('the batch window closes after 10 ms, even if every turn adds a write', async () => {
  start();
  nowMs += 9.9;
  await turns(5, true);
  expect(isClosed).toBe(false);
  nowMs += 0.1;
  await turns(1, true);
  expect(isClosed).toBe(true);
});
