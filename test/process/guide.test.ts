/** The guides for integrators show what a service really responds. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
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

/** The headings of a page as GitHub names them in links. */
const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test.each(['integrating', 'reliable-clients', 'api-changelog'])(
  'docs/%s.md links only to files and headings that exist',
  (name) => {
    const links = read(`docs/${name}.md`).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g);
    for (const [link, target = '', anchor] of links) {
      const path = target === '' ? `docs/${name}.md` : `docs/${target}`;
      expect([link, existsSync(`${ROOT}${path}`)]).toEqual([link, true]);
      if (anchor !== undefined) expect(anchorsOf(read(path))).toContain(anchor);
    }
  },
);
