/** The rules of the SDK's code (docs/architecture.md). */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { findCircle, importGraph } from '../support/imports.ts';

const imports = importGraph('sdk/src');

/** Its length follows from the OpenAPI document. */
const GENERATED = 'sdk/src/generated.ts';

test('the SDK imports nothing outside it', () => {
  const imported = [...imports.values()].flat();
  expect(imported.filter((path) => !path.startsWith('sdk/src/'))).toEqual([]);
  expect(imported).not.toEqual([]);
});

test('the SDK has no circle of imports', () => {
  expect(findCircle(imports)).toBeUndefined();
});

test('no written file has over 250 lines', () => {
  const lines = (path: string) => readFileSync(path, 'utf8').split('\n').length - 1;
  const written = [...imports.keys()].filter((path) => path !== GENERATED);
  expect(written.filter((path) => lines(path) > 250)).toEqual([]);
});
