/** The README and the guides for integrators show what a service really responds. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ROOT } from '../support/process.ts';
import { expectShown } from '../support/shown-output.ts';
import { examplesOf, runExamples } from './guide.ts';

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

describe.each(['README.md', 'docs/integrate.md', 'docs/retries.md'])('%s', (path) => {
  test('shows the output of every command', async () => {
    const examples = examplesOf(read(path));
    expectShown(path, examples, await runExamples(examples));
  });
});

test('the JavaScript of docs/integrate.md decodes events, whose own id is text', () => {
  const [, decode] = /const decode = ([\s\S]*?);\n/.exec(read('docs/integrate.md')) ?? [];
  const event = { id: '5f0c9a17-41', data: { lastId: 2n ** 62n } };
  const text = '{"id":"5f0c9a17-41","data":{"lastId":4611686018427387904}}';
  expect(JSON.parse(text, new Function(`return ${decode}`)())).toEqual(event);
});
