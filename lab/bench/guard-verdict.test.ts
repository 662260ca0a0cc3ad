import { expect, test } from 'bun:test';
import { type Comparison, explainRegression, isRegression } from './guard-verdict.ts';

const comparison = (ratios: readonly number[], recorded: number): Comparison => ({
  workload: 'hot-list',
  reference: 'bun-serve',
  ratios,
  recorded,
});

test('up to 10 % more processor time is no regression, however far single rounds are off', () => {
  expect(isRegression(comparison([1.099, 1.099, 1.099], 1))).toBe(false);
  expect(isRegression(comparison([1, 1.09, 9], 1))).toBe(false);
  expect(isRegression(comparison([0.5, 0.5, 0.5], 1))).toBe(false);
});

test('more than 10 % more processor time is a regression, also when the reference takes more time', () => {
  expect(isRegression(comparison([1.11, 1.12, 1.01], 1))).toBe(true);
  expect(isRegression(comparison([0.34, 0.34, 0.34], 0.3))).toBe(true);
});

test('an increase is no regression while the interval contains the recorded ratio', () => {
  expect(isRegression(comparison([1.3, 1.4, 0.99], 1))).toBe(false);
});

test('a regression is explained with the workload, the measured and the recorded ratio', () => {
  expect(explainRegression(comparison([1.6, 1.7, 1.65], 1.5))).toBe(
    'hot-list: a request took 1.650 times the processor time of bun-serve (interval 1.600–1.700), ' +
      'recorded are 1.500: +10.0 %, more than 10 %.',
  );
});
