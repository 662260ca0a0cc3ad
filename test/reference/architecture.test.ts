/** The rules of the reference's code (docs/architecture.md). */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { findCircle, importGraph } from '../support/imports.ts';

const imports = importGraph('reference');

test('the script imports the SDK, and nothing else outside it', () => {
  const imported = [...imports.values()].flat();
  const outside = imported.filter((path) => !path.startsWith('reference/'));
  expect(outside).not.toEqual([]);
  expect(outside.filter((path) => !path.startsWith('sdk/src/'))).toEqual([]);
});

test('the script has no circle of imports', () => {
  expect(findCircle(imports)).toBeUndefined();
});

test('all code of the reference has less than 1,380 lines', () => {
  const paths = ['reference', 'src/reference'].flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.{ts,css}`).scanSync(),
  ]);
  const lines = paths.flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  expect(paths.length).toBeGreaterThan(15);
  expect(lines.length).toBeLessThan(1_380);
});
