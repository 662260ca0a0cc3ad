import { expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';

test('each operation has a file of tests here with its name', () => {
  const names = operationsOf(true).map(({ operation }) =>
    operation.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  const files = [...new Bun.Glob('*.test.ts').scanSync(import.meta.dir)];
  expect(files.toSorted()).toEqual(
    [...names, 'all-operations'].map((name) => `${name}.test.ts`).toSorted(),
  );
});
