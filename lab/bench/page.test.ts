import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { withFigures } from './page.ts';
import { PAGE_FILE } from './paths.ts';

const page = readFileSync(PAGE_FILE, 'utf8');

test('the page of performance has the figures of the results', () => {
  expect(withFigures(page)).toBe(page);
});

test('a table is written again, and the text around it stays', () => {
  const changed = page.replace(/\| Hot list \| [\d,]+ \|/, '| Hot list | 1 |');
  expect(changed).not.toBe(page);
  expect(withFigures(changed)).toBe(page);
});

test('a page without a place for a table is refused', () => {
  expect(() => withFigures('# Performance\n')).toThrow('The page has no table');
});
