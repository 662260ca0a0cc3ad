/** What is on the pages of the reference, with and without scripts. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ERRORS } from '../../src/http/contract/errors.ts';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import { bodyFields, fieldList } from '../../src/reference/fields.ts';
import { html } from '../../src/reference/html.ts';
import { DOCUMENT, operationsIn, valuesOf } from '../support/openapi-document.ts';
import { ROOT } from '../support/process.ts';
import { decoded, PAGES, startWith, textOf, usePages } from './reference-pages.ts';

const { get, page, pages } = usePages();

/** The part of the page about an operation. */
const articleOf = (id: string): string =>
  new RegExp(`<article id="${id}">[\\s\\S]*?</article>`).exec(page('/docs'))?.[0] ?? '';

describe.each(operationsIn(DOCUMENT))('$method $path', (operation) => {
  test('is described with its scope, marks, parameters, fields and responses', () => {
    const { method, path, description, parameters = [], responses } = operation;
    const article = articleOf(operation.operationId);
    const text = textOf(article);
    expect(text).toContain(`${method} ${path}`);
    const scope = /Needs [^.]*\./.exec(String(description))?.[0] ?? '(no scope)';
    expect(text).toContain(scope.replaceAll('`', ''));
    expect(article.includes('>deprecated</span>')).toBe(operation.deprecated === true);
    for (const { name } of parameters)
      expect(article).toContain(`<code class="name">${name}</code>`);
    for (const status of Object.keys(responses))
      expect(article).toContain(`<span class="status">${status}</span>`);
    for (const [properties] of valuesOf('properties', [
      operation.requestBody,
      successes(responses),
    ]))
      for (const name of Object.keys(properties as object))
        expect(article).toContain(`<code class="name">${name}</code>`);
  });
});

const successes = (responses: object): unknown[] =>
  Object.entries(responses).flatMap(([status, response]) => (status < '400' ? [response] : []));

test('types, bounds, defaults and examples are exact', () => {
  const text = textOf(articleOf('listPets'));
  expect(text).toContain('limit integer (int32)');
  expect(text).toContain('1 to 100');
  expect(text).toContain('default 20');
  expect(text).toContain('-9223372036854775808 to 9223372036854775807');
  expect(text).toContain('one of available, pending, sold');
  const stream = textOf(articleOf('streamEvents'));
  expect(stream).toContain('id: 5f0c9a17-41\nevent: pet.deleted\ndata: {"id":"5f0c9a17-41",');
});

test('a field that is not specified is marked, in a body and in a response, and others are not', () => {
  const marked = { type: 'string', 'x-stability': 'beta' } as const;
  const properties = { name: { type: 'string' }, nickname: marked };
  const fields = bodyFields({ type: 'object', properties }, 'createToy.body');
  expect(fields.map(({ name, isBeta }) => [name, isBeta])).toEqual([
    ['name', false],
    ['nickname', true],
  ]);
  expect(html`${fieldList(fields)}`.text).toMatch(/nickname[\s\S]*<span class="chip">beta<\/span>/);
});

test('every error code is on the page and, with what to do, in the guide', () => {
  for (const code of Object.keys(ERRORS)) {
    expect(page('/docs')).toContain(`id="error-${code}"`);
    expect(page('/docs/errors')).toContain(`<tr id="${code}">`);
  }
});

test.each(PAGES.slice(1))('%s has every heading and command of its guide', (path) => {
  const file = path === '/docs/changelog' ? 'CHANGELOG.md' : `${path.slice(1)}.md`;
  const guide = readFileSync(`${ROOT}${file}`, 'utf8');
  const text = textOf(page(path));
  const headings = [...guide.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  for (const heading of headings) expect(text).toContain(heading.replaceAll('`', ''));
  for (const [, block = ''] of guide.matchAll(/^```.*\n([\s\S]*?)^```$/gm)) {
    expect(text).toContain(block.replaceAll('http://127.0.0.1:8080/v1', 'https://store.test/v1'));
  }
});

test('every link leads to a page and an anchor that exist, and no anchor is there twice', async () => {
  for (const [path, text] of pages) {
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []]);
    for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
      const url = new URL(decoded(href), `http://store.test${path}`);
      if (url.origin !== 'http://store.test') continue;
      const target = pages.get(url.pathname);
      if (target === undefined) {
        expect([path, href, (await get(url.pathname)).status]).toEqual([path, href, 200]);
      } else if (url.hash !== '') {
        expect([path, href, target.includes(` id="${url.hash.slice(1)}"`)]).toEqual([
          path,
          href,
          true,
        ]);
      }
    }
  }
});

describe('the order', () => {
  const idsIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, id]) => id);

  test('is that of the tags, with what is deprecated last, in the page and in its contents', () => {
    const { tags } = DOCUMENT;
    const operations = operationsIn(DOCUMENT);
    const current = tags.flatMap(({ name }) =>
      operations.filter((operation) => !operation.deprecated && operation.tags.includes(name)),
    );
    const deprecated = operations.filter((operation) => operation.deprecated);
    const expected = [...current, ...deprecated].map(({ operationId }) => operationId);
    expect(deprecated.map(({ operationId }) => operationId)).toEqual(['getPet']);
    const text = page('/docs');
    expect(idsIn(text, /<article id="([^"]*)"/g)).toEqual(expected);
    const [contents = ''] = /<nav class="contents[\s\S]*?<\/nav>/.exec(text) ?? [];
    expect(idsIn(contents, /<li><a href="#([a-z]+[A-Z]\w+)"/g)).toEqual(expected);
  });

  test('begins with the key and its scopes, the base URL, and the first request', () => {
    const text = page('/docs');
    const steps = [
      '1. Get an API key',
      '2. Set the base URL',
      '3. Add the first animal',
      'Pets</a>',
    ];
    const places = steps.map((step) => text.indexOf(step, text.indexOf('<main')));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    const start = textOf(
      text.slice(text.indexOf('id="authentication"'), text.indexOf('id="rules"')),
    );
    for (const scope of SCOPES) expect(start).toContain(scope);
    expect(start).toContain('export STORE=https://store.test/v1');
  });
});

test('with EXTENSIONS=off there are only the specified operations, without the guides to our additions', async () => {
  const { service, get } = await startWith({ extensions: false });
  const text = await (await get('/docs')).text();
  const articles = [...text.matchAll(/<article id="([^"]*)"/g)].map(([, id]) => id);
  expect(articles).toEqual(['listPets', 'createPet', 'getPet']);
  const body = text.slice(text.indexOf('<body>'));
  expect(body).not.toMatch(
    /name">Idempotency-Key|If-Match|order_not_found|cursor|>beta<|keys:admin/,
  );
  for (const path of PAGES.slice(1)) expect((await get(path)).status).toBe(404);
  await service.close();
});
