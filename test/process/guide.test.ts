/** The guides for integrators show what a service really responds. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { examplesOf, masked, runExamples } from '../support/guide.ts';
import { ROOT, TEST_LIMIT_MS } from '../support/process.ts';

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

describe.each(['docs/integrating.md', 'docs/reliable-clients.md'])('%s', (path) => {
  test(
    'shows the output of every command',
    async () => {
      const examples = examplesOf(read(path));
      const outputs = await runExamples(examples);
      for (const example of examples) {
        const where = `${path}:${example.line}`;
        const printed = masked(outputs.get(example) ?? '');
        expect(`${where}\n${printed}`).toBe(`${where}\n${masked(example.shown ?? '')}`);
      }
    },
    TEST_LIMIT_MS,
  );
});
