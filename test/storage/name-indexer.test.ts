/** When names are indexed. The index itself is real in the tests of searches. */
import { describe, expect, test } from 'bun:test';
import { NameIndexer } from '../../src/server/name-indexer.ts';

/** Names that wait for the index. */
function waitingNames(waiting: number) {
  return {
    waiting,
    indexed: [] as number[],
    unindexed() {
      return this.waiting;
    },
    indexNext(count: number) {
      const indexed = Math.min(count, this.waiting);
      this.waiting -= indexed;
      this.indexed.push(indexed);
      return indexed;
    },
  };
}

const start = (waiting: number, pause: () => Promise<unknown> = async () => {}) => {
  const names = waitingNames(waiting);
  return { names, indexer: new NameIndexer(names, pause) };
};

describe('names are indexed', () => {
  test('when none were added for an interval', async () => {
    const { names, indexer } = start(3);
    await indexer.run();
    expect(names.indexed).toEqual([]);
    names.waiting += 1;
    await indexer.run();
    expect(names.indexed).toEqual([]);
    await indexer.run();
    expect(names.indexed).toEqual([4]);
    expect(indexer.waiting).toBe(0);
  });

  test('while they are added, if 1,000 wait, until fewer do', async () => {
    const { names, indexer } = start(1_300);
    await indexer.run();
    expect(names.indexed).toEqual([250, 250]);
    expect(indexer.waiting).toBe(800);
  });

  test('to the end if none are added', async () => {
    const { names, indexer } = start(1_300);
    await indexer.run();
    await indexer.run();
    expect(names.indexed).toEqual([250, 250, 250, 250, 250, 50]);
  });

  test('no more until the next interval if others lock all that wait', async () => {
    const { names, indexer } = start(3);
    names.indexNext = () => 0;
    await indexer.run();
    await indexer.run();
    expect(indexer.waiting).toBe(3);
  });

  test('not at all if none wait', async () => {
    const { names, indexer } = start(0);
    await indexer.run();
    await indexer.run();
    expect(names.indexed).toEqual([]);
  });

  test('with a pause after each transaction, once at a time', async () => {
    const pauses: (() => void)[] = [];
    const { names, indexer } = start(1_500, () => new Promise((go) => pauses.push(() => go(0))));
    const run = indexer.run();
    const again = indexer.run();
    for (const indexed of [[250], [250, 250], [250, 250, 250]]) {
      await Bun.sleep(0);
      expect(names.indexed).toEqual(indexed);
      expect(pauses).toHaveLength(1);
      pauses.shift()?.();
    }
    await Promise.all([run, again]);
    expect(indexer.waiting).toBe(750);
  });

  test('no further after a stop, which waits for the transaction that runs', async () => {
    const pauses: (() => void)[] = [];
    const { names, indexer } = start(5_000, () => new Promise((go) => pauses.push(() => go(0))));
    const run = indexer.run();
    await Bun.sleep(0);
    let isStopped = false;
    const stopped = indexer.stop().then(() => {
      isStopped = true;
    });
    await Bun.sleep(0);
    expect(isStopped).toBeFalse();
    pauses.shift()?.();
    await Promise.all([run, stopped]);
    expect(names.indexed).toEqual([250]);
  });
});
