/** The search of the reference, by keyboard in a real browser. */
import { expect, test } from 'bun:test';
import type { Route } from 'playwright-core';
import { countOf, useReference } from './reference-browser.ts';

const reference = useReference({ isShared: true, operations: '#createPet, #listPets' });

/** It takes a tenth of the time of the page of operations to load, and has the same search. */
const SMALL = '/docs/retries';

const place = () => reference.page.locator('search');
const field = () => place().getByRole('searchbox', { name: 'Search' });
const results = () => place().getByRole('list', { name: 'Results' }).getByRole('link');
const status = () => place().locator('[role=status]');
const focused = () => reference.page.evaluate('document.activeElement.textContent');

async function goTo(path: string): Promise<void> {
  const { page } = reference;
  if (new URL(page.url()).pathname !== path) await page.goto(path);
}

async function search(text: string): Promise<string[]> {
  const { page } = reference;
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
  await results().first().waitFor();
  return results().allInnerTexts();
}

test('a result that has the focus is followed by Enter', async () => {
  const { page, service } = reference;
  await goTo('/docs');
  await search('categoryid');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.origin}/docs#listPets.query.categoryId`);
  await results().first().waitFor({ state: 'hidden' });
  expect(await status().textContent()).toBe('');
  expect(await page.locator('[id="listPets.query.categoryId"]').isVisible()).toBe(true);
});

test('a slash that is typed into a field is a slash, and the list closes when the field is left', async () => {
  const { page } = reference;
  await goTo('/docs');
  await page.locator('#createPet textarea').fill('');
  await page.keyboard.type('a/b');
  expect(await page.locator('#createPet textarea').inputValue()).toBe('a/b');
  await page.locator('h1').click();
  await search('order');
  await page.locator('h1').click({ position: { x: 5, y: 5 } });
  await results().first().waitFor({ state: 'hidden' });
});

test.each([
  ['POST /store', 'Order an animal\nPOST /store/orders · placeOrder', '/docs#placeOrder'],
  ['category', 'Fetch one category\nGET /categories/{categoryId}', '/docs#getCategory'],
  ['Status', 'status\nList animals: query', '/docs#listPets.query.status'],
  ['idempotency-key add', 'Idempotency-Key\nAdd an', '/docs#createPet.header.Idempotency-Key'],
  ['quick start', 'Quick start\nIntegrating a client', '/docs/integrate#quick-start'],
  ['rate_lim', 'rate_limited\nError 429 · ', '/docs#error-rate_limited'],
])('"%s" finds %j first, which leads to %s', async (text, first, target) => {
  await goTo(SMALL);
  const [found = ''] = await search(text);
  expect(found).toStartWith(first);
  const href = (await results().first().getAttribute('href')) ?? '';
  const { pathname, hash } = new URL(href, reference.page.url());
  expect(pathname + hash).toBe(target);
});

test('the arrows move between the field and the results, and Escape leads back and out', async () => {
  const { page } = reference;
  await goTo(SMALL);
  const found = await search('category');
  expect(found.length).toBeGreaterThan(3);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(
    await results()
      .nth(1)
      .evaluate((link) => link === link.ownerDocument.activeElement),
  ).toBe(true);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(
    await results()
      .last()
      .evaluate((link) => link === link.ownerDocument.activeElement),
  ).toBe(true);
  await page.keyboard.press('Escape');
  await results().first().waitFor({ state: 'hidden' });
  expect(await field().evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press('Escape');
  expect(await focused()).not.toBe('');
  expect(await field().evaluate((input) => input === input.ownerDocument.activeElement)).toBe(
    false,
  );
});

test('the number of results is said, also none', async () => {
  await goTo(SMALL);
  await search('rate_limited');
  expect(await status().textContent()).toBe('1 result');
  await reference.page.keyboard.press('Control+A');
  await reference.page.keyboard.type('no such words');
  await status().getByText('No results').waitFor({ state: 'attached' });
  await results().first().waitFor({ state: 'hidden' });
  const shown = () => place().getByRole('list', { name: 'Results' }).textContent();
  expect(await shown()).toBe('No results');
  await search('pet');
  expect(await shown()).toMatch(/\d+ results, of which 12 are shown$/);
  expect(await results().count()).toBe(12);
});

test('Enter before the index is loaded follows the first result when it is', async () => {
  const { page } = reference;
  await goTo(SMALL);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.reload();
  await page.route('**/docs/search.json', async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press('/');
  await page.keyboard.type('quick start');
  await page.keyboard.press('Enter');
  release();
  await page.waitForURL('**/docs/integrate#quick-start');
  await page.unrouteAll();
});

test('the index is loaded for the first search, and again after a failure, which is said', async () => {
  const { page, expected } = reference;
  expected.push(/ERR_FAILED|503/);
  await page.goto(SMALL);
  const loads = () => countOf(reference, '/docs/search.json');
  expect(loads()).toBe(0);
  for (const fail of [
    (route: Route) => route.abort(),
    (route: Route) => route.fulfill({ status: 503, body: '{}' }),
  ]) {
    await page.route('**/docs/search.json', fail);
    // At once: after each letter, the index would be loaded again.
    await field().fill('order');
    await status().getByText('The search cannot be loaded.').waitFor({ state: 'attached' });
    await field().fill('');
    await status().getByText('The search').waitFor({ state: 'detached' });
    await page.unroute('**/docs/search.json');
  }
  await search('order');
  await search('animal');
  expect(loads()).toBe(3);
});

// The last one: a fragment in the address can take the focus from the field after the page has loaded.
test('Enter in the field follows the first result, and empties the field and the list', async () => {
  const { page } = reference;
  await goTo(SMALL);
  expect(await search('deprecated')).toHaveLength(2);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${SMALL}#getpet-is-deprecated`);
  await results().first().waitFor({ state: 'hidden' });
  expect(await field().inputValue()).toBe('');
});
