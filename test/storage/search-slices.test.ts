/** How a search reads a list in slices. What it finds is tested with real storages. */
import { expect, test } from 'bun:test';
import { type ReadSlice, searchByName } from '../../src/storage/search.ts';

interface Item {
  readonly id: number;
  readonly name: string;
}

/** A list of items that begin with `Rex` if `isRex` says so, and the sizes of the slices that were read of it. */
function listOf(length: number, isRex: (id: number) => boolean) {
  const sizes: number[] = [];
  const readSlice: ReadSlice<Item> = (afterId = 0, size) => {
    sizes.push(size);
    const first = Number(afterId) + 1;
    const items = Array.from({ length: Math.min(size, length - first + 1) }, (_, index) => {
      const id = first + index;
      return { id, name: isRex(id) ? `Rex ${id}` : `Mia ${id}` };
    });
    return { items, next: items.length < size ? undefined : items.at(-1)?.id };
  };
  return { sizes, readSlice };
}

test('most searches need one slice: it is twice as long as the page', () => {
  const { sizes, readSlice } = listOf(1_000, (id) => id % 2 === 0);
  expect(searchByName('REX', readSlice, undefined, 10)).toBeArrayOfSize(10);
  expect(sizes).toEqual([20]);
});

test('slices grow to a limit, and each but the first waits for its turn', async () => {
  const { sizes, readSlice } = listOf(30_000, (id) => id === 29_999);
  const turns: number[] = [];
  const nextTurn = async () => {
    turns.push(sizes.length);
  };
  const found = await searchByName('rex', readSlice, undefined, 10, { nextTurn });
  expect(found.map(({ id }) => id)).toEqual([29_999]);
  expect(sizes.slice(0, 6)).toEqual([20, 80, 320, 1_280, 4_000, 4_000]);
  expect(Math.max(...sizes)).toBe(4_000);
  expect(turns).toEqual(sizes.slice(1).map((_, index) => index + 1));
});

test('a search that takes longer than 20 seconds fails', async () => {
  const { sizes, readSlice } = listOf(1_000_000, () => false);
  let nowMs = 0;
  const nextTurn = async () => {
    nowMs += 6_000;
  };
  const search = searchByName('rex', readSlice, undefined, 10, { nextTurn, now: () => nowMs });
  await expect(Promise.resolve(search)).rejects.toThrow('A search took too long.');
  expect(sizes).toHaveLength(5);
});
