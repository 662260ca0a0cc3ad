/** Integers of 64 bits are exact, and each value has one representation. */
import { expect, test } from 'bun:test';
import { type Int64, isInt64, parseInt64 } from '../../src/int64.ts';

test.each<[string, Int64 | undefined]>([
  ['0', 0],
  ['-0', undefined],
  ['01', undefined],
  ['999999999999999', 999999999999999],
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740992', -9007199254740992n],
  ['9223372036854775807', 9223372036854775807n],
  ['9223372036854775808', undefined],
  ['-9223372036854775808', -9223372036854775808n],
  ['-9223372036854775809', undefined],
])('the digits %s are %p', (digits, value) => expect(parseInt64(digits)).toBe(value as Int64));

test.each([7, -7, 2n ** 53n, -(2n ** 63n)])('%p is one', (value) =>
  expect(isInt64(value)).toBe(true),
);

test.each([-0, 1.5, 2 ** 53, 7n, 2n ** 63n, '7', null])('%p is none', (value) =>
  expect(isInt64(value)).toBe(false),
);
