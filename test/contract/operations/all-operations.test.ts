import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { operationsOf } from '../../../src/app.ts';

test('each operation is named, with its method and path, by a file of tests here', () => {
  const named = [...new Bun.Glob('*.test.ts').scanSync(import.meta.dir)].flatMap((file) => [
    ...readFileSync(`${import.meta.dir}/${file}`, 'utf8').matchAll(/\b\w+: [A-Z]+ \/[\w/{}-]+/g),
  ]);
  const declared = operationsOf(true).map(
    ({ operation: { id, method, path } }) => `${id}: ${method.toUpperCase()} ${path}`,
  );
  expect(named.map(([text]) => text).sort()).toEqual(declared.sort());
});
