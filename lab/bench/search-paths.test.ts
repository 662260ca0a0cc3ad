import { expect, test } from 'bun:test';
import { searchPaths } from './parts/search.ts';
import { CATEGORIES, nameOf } from './rows.ts';

const ANIMALS = 100_000;
const REQUESTS = 20_000;

const names = Array.from({ length: ANIMALS }, (_, index) => nameOf(index + 1).toLowerCase());

const parametersOf = (path: string): URLSearchParams =>
  new URL(path, 'http://localhost').searchParams;

/** How many names contain the text of a search. */
function matchesOf(path: string): number {
  const text = parametersOf(path).get('name')?.toLowerCase() ?? '';
  return names.filter((name) => name.includes(text)).length;
}

test('no search repeats another, so that no cached response is measured', () => {
  for (const [title, pathOf] of Object.entries(searchPaths(ANIMALS))) {
    const paths = Array.from({ length: REQUESTS }, (_, number) => pathOf(number));
    expect(new Set(paths).size, title).toBeGreaterThan(0.99 * REQUESTS);
  }
});

test('the texts are as frequent as their titles say', () => {
  const bounds = {
    'in no name': [0, 0],
    'in a few names': [1, 2],
    'in every ninth name, from a random place': [ANIMALS / 10, ANIMALS / 8],
    'in no name of a category': [0, 0],
    'two letters, in no name': [0, 0],
  };
  const found = Object.entries(searchPaths(ANIMALS)).map(([title, pathOf]) => {
    const matches = Array.from({ length: 20 }, (_, number) => matchesOf(pathOf(number * 37)));
    return [title, Math.min(...matches), Math.max(...matches)] as const;
  });
  expect(found.map(([title]) => title)).toEqual(Object.keys(bounds));
  for (const [title, lowest, highest] of found) {
    const [from = 0, to = 0] = bounds[title as keyof typeof bounds];
    expect(lowest, title).toBeGreaterThanOrEqual(from);
    expect(highest, title).toBeLessThanOrEqual(to);
  }
});

test('searches of a category take turns with all categories', () => {
  const pathOf = searchPaths(ANIMALS)['in no name of a category'] ?? (() => '');
  const ids = Array.from({ length: CATEGORIES }, (_, number) =>
    parametersOf(pathOf(number)).get('categoryId'),
  );
  expect(new Set(ids)).toEqual(
    new Set(Array.from({ length: CATEGORIES }, (_, index) => `${index + 1}`)),
  );
});
