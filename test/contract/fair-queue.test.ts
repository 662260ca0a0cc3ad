/** Work that owners ask for in turns. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../../src/fair-queue.ts';

/** Records what starts, and lets the test end it. */
class Recorded {
  readonly started: string[] = [];
  readonly #running: (() => void)[] = [];

  readonly work = (name: string) => () => {
    this.started.push(name);
    return new Promise<string>((resolve) => this.#running.push(() => resolve(name)));
  };

  /** Ends the work that has run the longest. */
  async end(): Promise<void> {
    this.#running.shift()?.();
    await sleep(0);
  }
}

test('work runs at once while a place is free, and returns its result', () => {
  const queue = new FairQueue(1);
  expect(queue.run(1, () => 'result')).toBe('result');
  expect(queue.run(2, () => 'another')).toBe('another');
});

test('no more work than the limit runs at once', async () => {
  const recorded = new Recorded();
  const queue = new FairQueue(2);
  const all = ['a', 'b', 'c'].map((name) => queue.run(1, recorded.work(name)));
  expect(recorded.started).toEqual(['a', 'b']);
  await recorded.end();
  expect(recorded.started).toEqual(['a', 'b', 'c']);
  await recorded.end();
  await recorded.end();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

test('owners take turns, whoever asked first and most', async () => {
  const recorded = new Recorded();
  const queue = new FairQueue(1);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void queue.run(1, recorded.work(name));
  for (const name of ['b1', 'b2']) void queue.run(2, recorded.work(name));
  void queue.run(3, recorded.work('c1'));
  for (let ended = 0; ended < 7; ended += 1) await recorded.end();
  expect(recorded.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test.each<[string, () => never | Promise<never>]>([
  ['fails', () => Promise.reject(new Error('failed'))],
  [
    'fails at once',
    () => {
      throw new Error('failed');
    },
  ],
])('a place is free again after work that %s', async (_how, fail) => {
  const queue = new FairQueue(1);
  await expect((async () => queue.run(1, fail))()).rejects.toThrow('failed');
  expect(await queue.run(1, () => 'result')).toBe('result');
});

test('a place is free only after its release', async () => {
  const released: (() => void)[] = [];
  const queue = new FairQueue(1, (freed) => released.push(freed));
  expect(queue.run(1, () => 'first')).toBe('first');
  const started: string[] = [];
  const second = queue.run(1, () => started.push('second'));
  await sleep(0);
  expect(started).toEqual([]);
  released[0]?.();
  await second;
  expect(started).toEqual(['second']);
});
