/** How a search reads a list in slices. What it finds is tested with real storages. */
import { expect, mock, spyOn, test } from 'bun:test';
import { FairQueue } from '../../src/fair-queue.ts';
import {
  type CountSlice,
  countSlices,
  foldedSlice,
  type ReadSlice,
  searchSlices,
} from '../../src/storage/search.ts';

/** A list of ids, of which those that `isMatch` matches, and the slices that were read. */
function listOf(length: number, isMatch: (id: number) => boolean) {
  const slices: [after: number, rows: number][] = [];
  const readSlice: ReadSlice<number> = ({ after: afterId = 0, wanted, rows }) => {
    const after = Number(afterId);
    slices.push([after, rows]);
    const last = Math.min(after + rows, length);
    const ids = Array.from({ length: last - after }, (_, index) => after + index + 1);
    const items = ids.filter(isMatch).slice(0, wanted);
    const isEnough = items.length === wanted || last === length;
    return { items, next: isEnough ? undefined : last };
  };
  return { slices, readSlice };
}

test('a common term needs one short slice, which is read at once', () => {
  const { slices, readSlice } = listOf(100_000, (id) => id % 10 === 0);
  const found = searchSlices(new FairQueue(1), readSlice, undefined, 3);
  expect(found).toEqual([10, 20, 30]);
  expect(slices).toEqual([[0, 1_000]]);
});

test('a rare term is looked for in long slices, up to the end of the list', async () => {
  const { slices, readSlice } = listOf(50_000, (id) => id === 49_999);
  const found = await searchSlices(new FairQueue(1), readSlice, 500, 3);
  expect(found).toEqual([49_999]);
  expect(slices).toEqual([
    [500, 1_000],
    [1_500, 20_000],
    [21_500, 20_000],
    [41_500, 20_000],
  ]);
});

test('a search whose asker is gone reads no more slices', async () => {
  const { slices, readSlice } = listOf(100_000, () => false);
  const asker = { keyId: 1, isGone: () => slices.length === 2 };
  await searchSlices(new FairQueue(1), readSlice, undefined, 3, asker);
  await searchSlices(new FairQueue(1), readSlice, undefined, 3, asker);
  expect(slices).toHaveLength(2);
});

test('names that are folded here are read in slices, too', async () => {
  const read = mock((after: unknown = 0, size: number) =>
    Array.from({ length: Math.min(size, 9_000 - Number(after)) }, (_, index) => {
      const id = Number(after) + index + 1;
      return { id, name: `Animal ${id}` };
    }),
  );
  const found = await searchSlices(new FairQueue(1), foldedSlice('animal 8999', read), 0, 3);
  expect(found).toMatchObject([{ id: 8_999 }]);
  expect(read.mock.calls.map(([after]) => after)).toEqual([0, 1_000, 5_000, 9_000]);
});

test('the counts of all slices are added up, as long as the asker waits', async () => {
  const counts = { available: 1, pending: 2, sold: 0, unset: 4 };
  const countSlice: CountSlice = ({ after }) => ({ counts, next: after ? undefined : 5 });
  const sum = { available: 2, pending: 4, sold: 0, unset: 8 };
  expect(await countSlices(new FairQueue(1), countSlice)).toEqual(sum);
  const gone = { keyId: 1, isGone: () => true };
  expect(await countSlices(new FairQueue(1), countSlice, gone)).toMatchObject({ unset: 0 });
});

test('each slice of a search, and of a count, waits for a turn of its key', async () => {
  const queue = new FairQueue(1);
  const run = spyOn(queue, 'run');
  const asker = { keyId: 7, isGone: () => false };
  await searchSlices(queue, listOf(50_000, () => false).readSlice, undefined, 3, asker);
  const counts = { available: 0, pending: 0, sold: 0, unset: 0 };
  await countSlices(queue, () => ({ counts, next: undefined }), asker);
  expect(run.mock.calls.map(([owner]) => owner)).toEqual(Array(5).fill(7));
});
