/** Links between pages, and messages and comments that name a page, lead to files and headings that exist. Pages name what exists. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../support/process.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const filesOf = (pattern: string): string[] => [...new Bun.Glob(pattern).scanSync(ROOT)].sort();

const PAGES = ['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'sdk/*.md'].flatMap(filesOf);

/** Without code, which may contain what looks like a heading or a link. */
const proseOf = (markdown: string): string =>
  markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, (code) =>
    // The text of a heading counts for its anchor.
    code.replaceAll(/[[\]()]/g, ''),
  );

/** The headings of a page as GitHub names them in links. */
const anchorsOf = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

test.each(PAGES)('%s links only to files and headings that exist', (page) => {
  const broken: string[] = [];
  for (const [link, target = '', anchor] of proseOf(read(page)).matchAll(
    /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g,
  )) {
    const path = target === '' ? page : normalize(join(dirname(page), target));
    const isFound = existsSync(join(ROOT, path));
    const hasHeading = isFound && (anchor === undefined || anchorsOf(read(path)).includes(anchor));
    if (!hasHeading) broken.push(link);
  }
  expect(broken).toEqual([]);
});

const TEXTS = [
  'src/**/*.ts',
  'console/**/*.{ts,tsx}',
  'scripts/*.ts',
  'test/**/*.ts',
  'lab/{bench,drills,faults,reliability}/**/*.ts',
  'deploy/**/*',
].flatMap(filesOf);

test('each file names only pages that exist, and headings of them', () => {
  const wrong: string[] = [];
  for (const path of TEXTS) {
    const text = read(path);
    for (const [, page = ''] of text.matchAll(/\b((?:docs|lab|sdk)\/[\w/-]+\.md)\b/g)) {
      if (!existsSync(join(ROOT, page))) wrong.push(`${path}: ${page}`);
    }
    for (const [, heading = '', page = ''] of text.matchAll(
      /"([^"\n]+)" in (docs\/[\w/-]+\.md)/g,
    )) {
      if (!existsSync(join(ROOT, page)) || !anchorsOf(read(page)).includes(anchorOf(heading)))
        wrong.push(`${path}: "${heading}" in ${page}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the page for the staff names only buttons, headings and messages of the console', () => {
  const texts = filesOf('console/**/texts.ts').map(read).join('\n');
  const named = [...read('docs/console.md').matchAll(/(?<!\*)\*(?!\*)([^*]+)\*/g)];
  const parts = named.flatMap(([, text = '']) => text.replaceAll('\n', ' ').split(' … '));
  expect(parts.length).toBeGreaterThan(30);
  expect(parts.filter((part) => !texts.includes(part))).toEqual([]);
});
