/** The rules of the console's code (docs/architecture.md). */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { findCircle, importGraph } from '../support/imports.ts';

const imports = importGraph('console');

test('the console imports the SDK by its entry, and nothing else outside it', () => {
  const imported = [...imports.values()].flat();
  const outside = imported.filter((path) => !path.startsWith('console/'));
  expect([...new Set(outside)]).toEqual(['sdk/src/index.ts']);
});

test('the console has no circle of imports', () => {
  expect(findCircle(imports)).toBeUndefined();
});

test('no text stands in a part of a screen', () => {
  const parts = [...imports.keys()].filter((path) => path.endsWith('.tsx'));
  const texts = parts.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/>\s*([A-Z][a-z]+[^<>{}=;]*)</g)].map(
      ([, text]) => `${path}: ${text}`,
    ),
  );
  expect(texts).toEqual([]);
});
