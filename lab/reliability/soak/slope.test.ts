/** The slopes of the soak trials. */
import { expect, test } from 'bun:test';
import { randomFrom } from '../../../test/support/random.ts';
import { slopeOf } from './slope.ts';

const COUNT = 120;
const line = (from: number, change: number, noise = 0, random = randomFrom(1)) =>
  Array.from(
    { length: COUNT },
    (_, index) => from + (change * index) / COUNT + noise * (random() - 0.5),
  );

test('a line without noise has its change, and no interval', () => {
  const { mean, change, low, high } = slopeOf(line(100, 24));
  expect(mean).toBeCloseTo(112, 0);
  expect(change).toBeCloseTo(24, 6);
  expect(high - low).toBeCloseTo(0, 6);
});

test('constant values have no change', () => {
  const { change, low, high } = slopeOf(line(7, 0));
  expect([change, low, high]).toEqual([0, 0, 0]);
});

test('the interval contains the true change in about 19 of 20 noisy series', () => {
  const random = randomFrom(2);
  const hits = Array.from({ length: 400 }, () => slopeOf(line(50, 5, 20, random))).filter(
    ({ low, high }) => low < 5 && high > 5,
  );
  expect(hits.length).toBeWithin(370, 391);
});

test('steps between two levels do not look like a sure growth', () => {
  const steps = Array.from({ length: COUNT }, (_, index) => (Math.floor(index / 20) % 2) * 10);
  const { low, high } = slopeOf(steps);
  expect(low).toBeLessThan(0);
  expect(high).toBeGreaterThan(0);
});
