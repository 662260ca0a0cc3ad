import { expect, test } from 'bun:test';
import { longestPause } from './pause.ts';

test('the longest pause is between two acknowledgements, in tenths of a second', () => {
  expect(longestPause([1_000, 2_000, 5_140, 6_000], 0, 7_000)).toBe(3.1);
});

test('the longest pause may begin or end with the period', () => {
  expect(longestPause([4_000, 5_000], 0, 6_000)).toBe(4);
  expect(longestPause([1_000, 2_000], 0, 6_000)).toBe(4);
  expect(longestPause([], 1_000, 6_000)).toBe(5);
});

test('acknowledgements outside of the period do not end a pause', () => {
  expect(longestPause([500, 9_000], 1_000, 6_000)).toBe(5);
});
