/** What is on the pages of the reference, with and without scripts. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ERRORS } from '../../src/http/contract/errors.ts';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import { type Schema, spelledOut } from '../../src/http/document/read-document.ts';
import { bodyFields, fieldList, parameterFields } from '../../src/reference/fields.ts';
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
    const { method, path, description, parameters = [], requestBody, responses } = operation;
    const article = articleOf(operation.operationId);
    const text = textOf(article);
    expect(text).toContain(`${method} ${path}`);
    expect(text).not.toContain('undefined');
    const [{ examples = {} } = {}] = Object.values(requestBody?.content ?? {});
    expect(text.split('Another body').length).toBe(Object.keys(examples).length || 1);
    const scope = /Needs [^.]*\./.exec(String(description))?.[0] ?? '(no scope)';
    expect(text).toContain(scope.replaceAll('`', ''));
    for (const notice of ['>deprecated</span>', 'operation is deprecated'])
      expect(article.includes(notice)).toBe(operation.deprecated === true);
    const [, mark] = /<h3>.*<span class="chip">(.*?)</.exec(article) ?? [];
    expect(mark).toBe(operation['x-stability'] as string);
    for (const { name } of parameters) {
      expect(article).toContain(`<code class="name">${name}</code>`);
      expect(article).toMatch(new RegExp(`name="\\w+\\.${name}"`));
    }
    for (const status of Object.keys(responses))
      expect(article).toContain(`<span class="status">${status}</span>`);
    for (const [properties] of valuesOf('properties', [requestBody, successes(responses)]))
      for (const name of Object.keys(properties as object))
        expect(article).toContain(`<code class="name">${name}</code>`);
  });
});

const successes = (responses: object): unknown[] =>
  Object.entries(responses).flatMap(([status, response]) => (status < '400' ? [response] : []));

test('fields and parameters are described with all that their schemas say', () => {
  const size = { type: 'integer', maximum: 9, default: 3, description: 'Its size.' };
  const word = { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]' };
  const named = { type: 'string', enum: ['s', 'xl'], description: 'Or its name.' };
  const tags = { type: 'array', maxItems: 5, uniqueItems: true, items: word };
  const object = (properties: object) => ({ type: 'object', properties });
  const box = { $ref: '#/Box' };
  const toy = {
    ...object({
      id: { type: 'integer', format: 'int64', minimum: 1, description: 'Its id.' },
      tags: { ...tags, 'x-stability': 'beta' },
      box: { anyOf: [box, object({ size }), { type: 'null' }, { type: 'null' }] },
      parts: { type: 'array', items: { oneOf: [object({ size }), object({ size: named })] } },
      boxes: { type: 'array', minItems: 1, items: box },
    }),
    required: ['id'],
  };
  const document = spelledOut({ toy, Box: object({ lid: {} }) }) as unknown as { toy: Schema };
  const limit = { name: 'limit', in: 'query', required: true, schema: size, example: 7 } as const;
  const described = [bodyFields(document.toy, 'toy'), parameterFields([limit], 'listToys')];
  const lists = described.map((fields) => html`${fieldList(fields)}`.text);
  expect(lists.join()).not.toContain('<p class="facts"></p>');
  expect(lists.map((list) => textOf(list).replaceAll(/\s+/g, ' ').trim())).toEqual([
    'id integer (int64) · required Its id. at least 1 ' +
      'tags array of string beta at most 5 items · no item twice · each 1 to 9 characters · each pattern ^[a-z] ' +
      'box Box or object or null size integer Its size. at most 9 · default 3 ' +
      'parts array of any size integer or string Its size. Or its name. at most 9 · one of s, xl ' +
      'boxes array of Box at least 1 items lid any',
    'limit integer · required at most 9 · default 3 · example 7',
  ]);
});

test('an integer and an example are exact: a command names a method only if it is not the default, a stream is text', () => {
  expect(textOf(articleOf('streamEvents'))).toContain('\nevent: pet.deleted\ndata: {"id":"5f');
  expect(textOf(articleOf('listPets'))).toContain('curl -H "$AUTH" $STORE/pets');
  expect(textOf(articleOf('listPets'))).toContain('-9223372036854775808 to 9223372036854775807');
  expect(textOf(articleOf('createPet'))).toContain('curl -H "$AUTH" \\\n');
  expect(articleOf('deletePet')).toContain('name="path.petId" required');
  expect(textOf(articleOf('deletePet'))).toContain('curl -i -X DELETE -H "$AUTH" $STORE/pets/1');
});

test('every error code is on the page and, with what to do, in the guide', () => {
  for (const code of Object.keys(ERRORS)) {
    expect(page('/docs')).toContain(`id="error-${code}"`);
    expect(page('/docs/errors')).toContain(`<tr id="${code}">`);
    expect(page('/docs/errors')).toContain(`<li><a href="#${code}">${code}</a></li>`);
  }
});

test.each(PAGES.slice(1))('%s has every heading and command of its guide', (path) => {
  const file = path === '/docs/changelog' ? 'CHANGELOG.md' : `${path.slice(1)}.md`;
  const guide = readFileSync(`${ROOT}${file}`, 'utf8');
  const text = textOf(page(path));
  const headings = [...guide.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  for (const heading of headings) expect(text).toContain(heading.replaceAll('`', ''));
  const links = guide.matchAll(/\]\((https:[^)]*|\.\.\/openapi\.json|retries[^)]*)\)/g);
  const [, main] = page(path).split('<main');
  for (const [, url = ''] of links) expect(main).toContain(`<a href="${url.replace('.md', '')}">`);
  for (const [, block = ''] of guide.matchAll(/^```.*\n([\s\S]*?)^```$/gm)) {
    expect(text).toContain(block.replaceAll('http://127.0.0.1:8080/v1', 'https://store.test/v1'));
  }
});

test.each(PAGES)('the headings of %s skip no level', (path) => {
  const levels = [...page(path).matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
  const steps = levels.map((level, index) => level - (levels[index - 1] ?? 0));
  expect(Math.max(...steps)).toBe(1);
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
    for (const scope of [...SCOPES, 'any scope']) expect(start).toContain(scope);
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
