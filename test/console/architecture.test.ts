/** The rules of the console's code (docs/architecture.md). */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { importGraph } from '../support/imports.ts';

const imports = importGraph('console');

test('the console imports the SDK by its entry, and of the service only the rules of names, the fold of texts and the reader of files', () => {
  const imported = [...imports.values()].flat();
  const outside = new Set(imported.filter((path) => !path.startsWith('console/')));
  expect(outside.delete('sdk/src/index.ts')).toBe(true);
  const isShared = (path: string) =>
    ['src/name-problem.ts', 'src/fold-text.ts'].includes(path) ||
    path.startsWith('src/transfer/files/');
  expect([...outside].filter((path) => !isShared(path))).toEqual([]);
  const service = importGraph('src');
  for (const path of outside) for (const next of service.get(path) ?? []) outside.add(next);
  const others = [...outside].filter((path) => !isShared(path)).sort();
  expect(others).toEqual([
    'src/http/request/exact-json.ts',
    'src/http/request/json-object.ts',
    'src/int64.ts',
  ]);
  const packages = /\bfrom '[^.]/;
  expect([...outside].filter((path) => packages.test(readFileSync(path, 'utf8')))).toEqual([]);
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
