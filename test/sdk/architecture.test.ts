/** The rules of the SDK's code (docs/architecture.md). */
import { expect, test } from 'bun:test';
import { findCircle, importGraph } from '../support/imports.ts';

const imports = importGraph('sdk/src');

test('the SDK imports nothing outside it', () => {
  const imported = [...imports.values()].flat();
  expect(imported.filter((path) => !path.startsWith('sdk/src/'))).toEqual([]);
  expect(imported).not.toEqual([]);
});

test('the SDK has no circle of imports', () => {
  expect(findCircle(imports)).toBeUndefined();
});
