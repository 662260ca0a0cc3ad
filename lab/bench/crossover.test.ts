import { expect, test } from 'bun:test';
import { crossover } from './parts/crossover.ts';

const point = (percent: number, sqlite: number[], postgres: number[]) => ({
  percent,
  sqlite,
  postgres,
});

test('the best servers of both engines are compared', () => {
  expect(crossover([point(0, [9, 5], [6, 8]), point(50, [5, 4], [3, 5])])).toBe(50);
});

test('a share at which PostgreSQL is better by chance does not count', () => {
  expect(crossover([point(1, [5], [6]), point(5, [5], [4]), point(10, [5], [6])])).toBe(10);
});

test('PostgreSQL may be better at all shares or at none', () => {
  expect(crossover([point(0, [1], [2]), point(100, [1], [2])])).toBe(0);
  expect(crossover([point(0, [1], [2]), point(100, [2], [1])])).toBeUndefined();
});
