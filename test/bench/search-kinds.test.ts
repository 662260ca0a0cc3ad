import { expect, test } from 'bun:test';
import { searchKinds } from '../../bench/parts/search-kinds.ts';
import { nameOf } from '../../bench/rows.ts';

const ANIMALS = 100_000;
const REQUESTS = 20_000;

const names = Array.from({ length: ANIMALS }, (_, index) => nameOf(index + 1).toLowerCase());

/** How many names contain the text of a search. */
function matchesOf(path: string): number {
  const text = new URL(path, 'http://localhost').searchParams.get('name')?.toLowerCase() ?? '';
  return names.filter((name) => name.includes(text)).length;
}

test('no search repeats another, so that no cached response is measured', () => {
  for (const { title, path } of searchKinds(ANIMALS)) {
    const paths = Array.from({ length: REQUESTS }, (_, number) => path(number));
    expect(new Set(paths).size, title).toBeGreaterThan(0.99 * REQUESTS);
  }
});

test('the terms are as frequent as their titles say', () => {
  const bounds = [
    [ANIMALS / 10, ANIMALS / 8],
    [100, 1_000],
    [1, 1],
    [0, 0],
    [ANIMALS / 10, ANIMALS / 8],
    [0, 0],
  ];
  for (const [index, { title, path }] of searchKinds(ANIMALS).entries()) {
    const matches = Array.from({ length: 20 }, (_, number) => matchesOf(path(number * 37)));
    const [lowest = 0, highest = 0] = bounds[index] ?? [];
    expect(Math.min(...matches), title).toBeGreaterThanOrEqual(lowest);
    expect(Math.max(...matches), title).toBeLessThanOrEqual(highest);
  }
});
