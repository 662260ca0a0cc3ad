/** The README and the guides for integrators show what a service really responds. */
import { describe, test } from 'bun:test';
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
