import { expect, test } from 'bun:test';
import { intervalOfMedian, percentileOf, ratioOf } from './statistics.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test.each([
  [5, 1, 5],
  [6, 1, 6],
  [10, 2, 9],
  [12, 3, 10],
  [14, 3, 12],
  [20, 6, 15],
])('of %i values, the interval of the median goes from the %ith to the %ith', (count, from, to) => {
  const shuffled = upTo(count).sort((a, b) => ((a * 7) % 5) - ((b * 7) % 5));
  expect(intervalOfMedian(shuffled)).toEqual({ lowest: from, highest: to });
});

test('a ratio is taken within each round, so that a slow round does not change it', () => {
  expect(ratioOf([10, 30, 12], [5, 15, 4])).toEqual({ median: 2, lowest: 2, highest: 3 });
});

test.each([
  [0.5, 50],
  [0.99, 99],
  [0.991, 100],
  [1, 100],
])('of 100 values, a share of %d is not above the right one', (share, expected) => {
  expect(percentileOf(upTo(100).reverse(), share)).toBe(expected);
});
