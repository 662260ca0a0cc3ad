/** What the search of the reference can find. */
import { beforeAll, expect, test } from 'bun:test';
import { ERRORS } from '../../src/http/contract/errors.ts';
import { DOCUMENT, operationsIn, valuesOf } from '../support/openapi-document.ts';
import { startWith, usePages } from './reference-pages.ts';

const { get, page } = usePages();
let index: string[][];
beforeAll(async () => {
  index = (await (await get('/docs/search.json')).json()) as string[][];
});

const hrefs = () => index.map(([, , href]) => href);
const titles = () => index.map(([title]) => title);

test.each(operationsIn(DOCUMENT))(
  '$operationId, by its summary, method, path and name, and its parameters',
  (operation) => {
    const { summary, method, path, operationId, parameters = [] } = operation;
    const about = `${method} ${path} · ${operationId}`;
    expect(index).toContainEqual([summary, about, `../docs#${operationId}`]);
    for (const { name, in: place } of parameters) {
      expect(hrefs()).toContain(`../docs#${operationId}.${place}.${name}`);
    }
  },
);

test('every field of a body', () => {
  const href = '../docs#createPet.body.name';
  expect(index).toContainEqual(['name', 'Add an animal: body · string', href]);
  const { Error: _error, ...schemas } = DOCUMENT.components.schemas;
  for (const [properties] of valuesOf('properties', schemas)) {
    for (const name of Object.keys(properties as object)) expect(titles()).toContain(name);
  }
});

test('every error once, and the headings of the guides', () => {
  for (const code of Object.keys(ERRORS)) {
    expect(titles().filter((title) => title === code)).toEqual([code]);
  }
  const headers = Object.keys(DOCUMENT.components.headers);
  const start = ['API key, authentication, scopes', 'Base URL, server'];
  for (const heading of ['Integrating a client', 'Quick start', ...start, ...headers]) {
    expect(titles()).toContain(heading);
  }
});

test('nothing that leads nowhere', () => {
  for (const href of hrefs()) {
    const { pathname, hash } = new URL(href ?? '', 'http://store.test/docs/');
    const id = decodeURIComponent(hash.slice(1));
    expect([href, page(pathname).includes(id === '' ? '<h1' : ` id="${id}"`)]).toEqual([
      href,
      true,
    ]);
  }
});

test('with EXTENSIONS=off, only what the reference has then', async () => {
  const { service, get } = await startWith({ extensions: false });
  const text = await (await get('/docs/search.json')).text();
  expect(text).toContain('listPets');
  expect(text).not.toMatch(/placeOrder|Idempotency-Key|Quick start|order_not_found/);
  await service.close();
});
